"""Links of the manual's pages to files outside `docs/` lead to the repository on the web.

On GitHub the same links lead to the files beside the page. Those to other pages of `docs/` are Sphinx's own matter.
"""

import os
import re
from pathlib import Path

_ROOT = Path(__file__).parents[2]
_REPOSITORY = "https://github.com/leafspace/leafspace"
_RELATIVE_LINK = re.compile(r"(?<=\]\()(?![a-z]+:|#|/)([^)#\s]+)")


def with_links_to_repository(markdown: str, folder: Path, pages: Path) -> str:
    """Return a page whose relative links out of `pages` lead to the repository on the web.

    Parameters
    ----------
    markdown
        Text of the page.
    folder
        Folder of the page, from which its links count.
    pages
        Folder whose files the manual has; links to them stay as they are.
    """

    def on_the_web(link: re.Match[str]) -> str:
        target = Path(os.path.normpath(folder / link[1]))
        if target.is_relative_to(pages) and target.suffix in {".md", ".png", ".svg"}:
            return link[1]
        kind = "tree" if target.is_dir() else "blob"
        return f"{_REPOSITORY}/{kind}/main/{target.relative_to(_ROOT).as_posix()}"

    return _RELATIVE_LINK.sub(on_the_web, markdown)
