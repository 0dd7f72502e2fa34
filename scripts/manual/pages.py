"""What happens to a page of `docs/` before Sphinx reads it."""

from pathlib import Path
from typing import Any

from sphinx.application import Sphinx
from sphinx.util.nodes import make_refnode

from scripts.manual.http_reference import contract
from scripts.manual.index_entries import with_index_entries
from scripts.manual.links import with_links_to_repository
from scripts.manual.written_parts import with_written_parts

_DOCS = Path(__file__).parents[2] / "docs"


def setup(app: Sphinx) -> dict[str, bool]:
    """Connect to Sphinx, which calls this for each of `extensions`."""
    app.connect("source-read", _read_page)
    app.connect("autodoc-process-signature", _without_transport)
    app.connect("missing-reference", _object_of_contract)
    return {"parallel_read_safe": True}


def _read_page(app: Sphinx, page: str, content: list[str]) -> None:
    linked = with_links_to_repository(content[0], app.env.doc2path(page).parent, _DOCS)
    written = with_written_parts(linked)
    content[0] = with_index_entries(written) if page == "glossary" else written


def _without_transport(  # noqa: PLR0917  # as Sphinx calls it
    app: Sphinx, what: str, name: str, value: object, options: object, signature: str | None, returns: str | None
) -> tuple[str, str | None] | None:
    """Hide how the client makes its collections and their things: nobody else does."""
    return ("", returns) if what == "class" and signature and "transport" in signature else None


def _object_of_contract(app: Sphinx, environment: Any, node: Any, shown: Any) -> Any:
    """Return a link from a class of the SDK's `contract/` to the object of that name in the reference of HTTP."""
    name = node.get("reftarget", "").rpartition(".")[2]
    if node.get("refdomain") != "py" or name not in contract()["components"]["schemas"]:
        return None
    page, anchor = environment.get_domain("std").anonlabels[f"object-{name.lower()}"]
    return make_refnode(app.builder, node.get("refdoc", ""), page, anchor, shown)
