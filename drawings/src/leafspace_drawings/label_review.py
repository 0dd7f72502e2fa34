"""The review of an audit: a queue of suspect rows, and one of them beside the rows nearest to it."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from .classes import Classes
from .columns import ColumnName, ColumnNames
from .images import ImageColumns
from .links import Links
from .remedies import caution_text
from .templating import render
from .words import sentence

Json = Mapping[str, Any]

N_FEATURES_SHOWN = 12
DECIDED = {"accept": "accepted", "keep": "kept", "relabel": "relabelled", "unsure": "unsure"}


@dataclass(frozen=True, slots=True)
class Queue:
    """Where a row stands among those to be reviewed."""

    rows: Sequence[Json]  # some audited rows around it, in the order of the audit
    decisions: Mapping[int, Json]  # in force, by row
    counts: Json  # how far the review has come
    previous: int | None = None  # the rows before and after it
    following: int | None = None
    undecided: int | None = None  # the next one without a decision; None: all are decided


@dataclass(frozen=True, slots=True)
class ReviewContext:
    """What a drawing of a review can use beside the row's document."""

    audit: Json  # the ready answer of ``GET /v1/label-audits/{id}``
    queue: Queue
    values: Mapping[int, Json] = field(default_factory=dict)  # of the row and its neighbours: dataset rows, by row
    dataset: Json | None = None
    links: Links = field(default_factory=Links)
    usage: Sequence[Json] = ()  # of features by the model's splits: those that it tests most come first


def draw_label_review(document: Json, context: ReviewContext) -> str:
    """Return the drawing of an answer of ``GET /v1/label-audits/{id}/rows/{row}`` within its queue."""
    return render("label_review", view=_View(document, context))


class _View:
    """What the template shows of a row under review."""

    decided, n_shown = DECIDED, N_FEATURES_SHOWN

    def __init__(self, document: Json, context: ReviewContext) -> None:
        self.row, self.context, self.queue, self.links = document, context, context.queue, context.links
        self.result: Json = context.audit["result"]
        self.classes = Classes(self.result["classes"], context.dataset)

    @property
    def cautions(self) -> list[str]:
        """What speaks against the audit's suggestions."""
        return [sentence(caution_text(each)) for each in self.result["cautions"]]

    def link(self, row: int | None) -> str | None:
        """Return the address of a row's review."""
        path = self.links.to("reviews", self.context.audit["id"])
        return None if path is None or row is None else f"{path}?row={row}"

    @cached_property
    def _columns(self) -> list[str]:
        roles = {column["name"]: column["role"] for column in (self.context.dataset or {}).get("columns", ())}
        own = self.context.values.get(self.row["row"], {}).get("values", ())
        names = [cell["name"] for cell in own if roles.get(cell["name"], "feature") == "feature"]
        share = {each["feature"]: each["share_of_questions"] for each in self.context.usage}
        return sorted(names, key=lambda name: -share.get(name, 0.0))

    @cached_property
    def _cells(self) -> dict[int, dict[str, Any]]:
        values = self.context.values
        return {row: {cell["name"]: cell["value"] for cell in each["values"]} for row, each in values.items()}

    @cached_property
    def _image(self) -> ImageColumns | None:
        return ImageColumns.offered_by(self._columns)

    def image_of(self, row: int) -> str | None:
        """Return the address of a row's image, where rows are images."""
        return self._image.data_url(self._cells[row]) if self._image and row in self._cells else None

    @property
    def features(self) -> list[tuple[ColumnName, list[Any]]]:
        """Each feature with the values of the row and of its neighbours; none where rows are images."""
        rows = [self.row["row"], *(each["row"] for each in self.row["neighbors"])]
        if self._image or any(row not in self._cells for row in rows):
            return []
        names = ColumnNames(self.context.dataset)
        return [(names[name], [self._cells[row].get(name) for row in rows]) for name in self._columns]

    @property
    def n_agreeing(self) -> int:
        """How many of the nearest have the row's label."""
        return sum(each["label"] == self.row["label"] for each in self.row["neighbors"])

    @property
    def before(self) -> str:
        """The decision in force as JSON, to be written again when a later one is taken back."""
        entry = self.row["decision"]
        label = entry["new_label"] if entry["decision"] == "relabel" else None
        return json.dumps({"decision": entry["decision"], "label": label, "note": entry["note"]})

    def state_of(self, row: Json) -> str:
        """Return a word for what was decided about a row of the queue; empty: nothing."""
        decision = self.queue.decisions.get(row["row"])
        return "" if decision is None else DECIDED.get(decision["decision"], "")
