"""Which labels look wrong: rows by how few of their neighbours have the same label."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from .classes import Classes
from .forms import Form
from .links import Links
from .pictures import picture
from .templating import render

Json = Mapping[str, Any]

N_ROWS_SHOWN = 20


@dataclass(frozen=True, slots=True)
class AuditContext:
    """What a drawing of a label audit can use beside its document; each part may be absent."""

    model: Json | None = None
    dataset: Json | None = None
    links: Links = field(default_factory=Links)
    n_rows: int = N_ROWS_SHOWN
    remedies: Mapping[str, Form] = field(default_factory=dict)  # forms of what cautions ask for, by step


@picture(
    "label_audit",
    ids="lba_",
    part="audits",
    words="label audit",
    context=AuditContext,
    is_made_of_rows=True,
    brief={"n_rows": 10},
)
def draw_label_audit(document: Json, context: AuditContext) -> str:
    """Return the drawing of a ready answer of ``GET /v1/label-audits/{id}``: its most suspect rows."""
    return render("label_audit", found=_Found(document, context))


class _Found:
    """What the template shows of a label audit."""

    def __init__(self, document: Json, context: AuditContext) -> None:
        self.document, self.context, self.links = document, context, context.links
        self.result: Json = document["result"]
        self.classes = Classes(self.result["classes"], context.dataset)

    def review(self, row: int | None = None) -> str | None:
        """Return the address of the review, or of one row's."""
        path = self.links.to("reviews", self.document["id"])
        return path if path is None or row is None else f"{path}?row={row}"

    @property
    def n_more(self) -> int:
        """The number of suspect rows that are not shown."""
        n_suggested: int = self.result["n_suggested"]
        return n_suggested - sum(row["suggested_label"] is not None for row in self.rows)

    @property
    def rows(self) -> Sequence[Json]:
        """The most suspect rows."""
        rows: Sequence[Json] = self.result["rows"]
        return rows[: self.context.n_rows]
