"""Check the manual that `make docs` built: links and anchors lead somewhere, and nothing is loaded from elsewhere.

Sphinx itself warns of links that it resolves, and stops there; this reads what readers get, templates included.
"""

import re
import sys
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urldefrag

_LOADED = {("img", "src"), ("script", "src"), ("iframe", "src"), ("source", "src")}
_LOADED_BY_LINK = {"stylesheet", "preload", "icon", "prefetch", "modulepreload", "preconnect", "dns-prefetch"}
_LOADED_BY_STYLE = re.compile(r"(?:@import\s+|url\(\s*)[\"']?((?:https?:)?//[^\"')\s]+)")
_ELSEWHERE = re.compile(r"(?:[a-z]+:)?//")


class _Page(HTMLParser):
    """Collects what a page links to, what it loads, and which anchors it has."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.anchors: set[str] = set()
        self.links: set[str] = set()
        self.loads: set[str] = set()
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        values = {name: value for name, value in attrs if value}
        self.anchors |= {values[name] for name in ("id", "name") if name in values}
        if tag == "a" and "href" in values:
            self.links.add(values["href"])
        self.loads |= {values[name] for name in values if (tag, name) in _LOADED}
        if tag == "link" and set(values.get("rel", "").split()) & _LOADED_BY_LINK:
            self.loads.add(values["href"])


def faults_of(site: Path) -> list[str]:
    """Return what is wrong with a built site, a sentence each, with the page where it stands."""
    pages = {path: _Page(path.read_text(encoding="utf-8")) for path in sorted(site.rglob("*.html"))}
    faults = [] if pages else [f"there is no page below {site}"]
    for path, page in pages.items():
        name = path.relative_to(site)
        foreign = {file for file in page.loads if _ELSEWHERE.match(file)}
        local = {file: urldefrag(file).url.partition("?")[0] for file in page.loads - foreign}
        faults += [f"{name}: {link!r} leads nowhere" for link in sorted(page.links) if _is_dead(link, path, pages)]
        faults += [f"{name}: {file!r} is loaded from elsewhere" for file in sorted(foreign)]
        faults += [
            f"{name}: {file!r} is not there" for file in sorted(local) if not (path.parent / local[file]).is_file()
        ]
    for style in sorted(site.rglob("*.css")):
        loaded = _LOADED_BY_STYLE.findall(style.read_text(encoding="utf-8"))
        faults += [f"{style.relative_to(site)}: {address!r} is loaded from elsewhere" for address in loaded]
    return faults


def _is_dead(link: str, path: Path, pages: dict[Path, _Page]) -> bool:
    if re.match("[a-z]+:|//", link):
        return False  # of the web, which a build does not read
    file, anchor = (unquote(part) for part in urldefrag(link))
    target = (path.parent / file).resolve() if file else path
    if target not in pages:
        return not target.is_file()
    return bool(anchor) and anchor not in pages[target].anchors


def main() -> int:
    """Print what is wrong with the site that the command line names; return the exit status."""
    faults = faults_of(Path(sys.argv[1]).resolve())
    print("\n".join(faults) or f"the manual's links lead somewhere: {sys.argv[1]}/index.html")
    return bool(faults)


if __name__ == "__main__":
    sys.exit(main())
