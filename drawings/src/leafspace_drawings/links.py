"""Where a drawing's links lead: to views of the page, or nowhere in a file."""

from dataclasses import dataclass
from urllib.parse import quote


@dataclass(frozen=True, slots=True)
class Links:
    """Addresses of views. ``base`` is what stands before ``#/``: empty in the page itself, None for no links."""

    base: str | None = None

    def to(self, *path: str) -> str | None:
        """Return the address of a view, such as ``#/models/mdl_1``, or None where drawings have no links."""
        return None if self.base is None else f"{self.base}#/{'/'.join(quote(part, safe='') for part in path)}"

    def to_row(self, explainer: str | None, row_id: str, dataset: str | None = None) -> str | None:
        """Return the address of the view in which an explainer explains a row of a dataset.

        None where there is no explainer, or no link. Without a dataset the row is one of the explainer's own.
        """
        of_explainer = None if explainer is None else self.to("explainers", explainer, "rows", row_id)
        return f"{of_explainer}?dataset={quote(dataset, safe='')}" if of_explainer and dataset else of_explainer
