"""What happens to a page of `docs/` before Sphinx reads it."""

from pathlib import Path

from sphinx.application import Sphinx

from scripts.manual.links import with_links_to_repository
from scripts.manual.written_parts import with_written_parts

_DOCS = Path(__file__).parents[2] / "docs"


def setup(app: Sphinx) -> dict[str, bool]:
    """Connect to Sphinx, which calls this for each of `extensions`."""
    app.connect("source-read", _read_page)
    app.connect("autodoc-process-signature", _without_transport)
    return {"parallel_read_safe": True}


def _read_page(app: Sphinx, page: str, content: list[str]) -> None:
    linked = with_links_to_repository(content[0], app.env.doc2path(page).parent, _DOCS)
    content[0] = with_written_parts(linked)


def _without_transport(  # noqa: PLR0917  # as Sphinx calls it
    app: Sphinx, what: str, name: str, value: object, options: object, signature: str | None, returns: str | None
) -> tuple[str, str | None] | None:
    """Hide how the client makes its collections and their things: nobody else does."""
    return ("", returns) if what == "class" and signature and "transport" in signature else None
