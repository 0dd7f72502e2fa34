"""Views of rows that are not in the data: the form of one, and what is decided of several that were pasted."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Self

from leafspace_drawings import (
    DecidedRow,
    NewRowForm,
    PastedTable,
    RefusedValue,
    draw_new_row_form,
    draw_pasted_rows,
)

from schemas.explainers import EXPLAINERS
from schemas.explanations import ExplanationRequest

from ..app_context import AppContext
from .documents import LINKS, Json, at, of_model, read
from .explanations import Beside
from .pasted_rows import PastedRows, read_pasted
from .typed_values import TypedValues

_N_EFFECTS = 3  # of a row that is listed


def form(
    context: AppContext,
    beside: Beside,
    texts: Mapping[str, str],
    refused: Mapping[str, RefusedValue] | None = None,
    problem: str = "",
) -> str:
    """Draw the form of a row.

    Parameters
    ----------
    context
        What operations use in this process.
    beside
        What stands beside the rows of the explainer.
    texts
        What its fields begin with, by feature.
    refused
        Which of them cannot be values.
    problem
        Why the row is not explained, where that is not known by feature.
    """
    refused = refused or beside.typed(texts).refused
    explainer = context.explainers.get(beside.explainer_id)
    drawing = draw_new_row_form(
        NewRowForm(
            name=explainer.name or beside.known["name"] or "",
            features=beside.known["feature_names"],
            dataset=beside.dataset,
            texts=texts,
            refused={name: each.problem for name, each in refused.items()},
            problem=problem,
            to=beside.new_row({}),
            paste_to=f"/page/parts/explainers/{beside.explainer_id}/pasted",
            are_stored=explainer.store_explanations,
        )
    )
    way = [*of_model(beside.known, "new row")]
    way.insert(1, ("explainer", LINKS.to("explainers", beside.explainer_id)))
    return at(drawing, way, read(EXPLAINERS, beside.explainer_id))


@dataclass(frozen=True, slots=True)
class RowsToDecide:
    """Rows that somebody pasted, those that can be read with the request to explain them."""

    beside: Beside
    pasted: PastedRows
    typed: Sequence[TypedValues]
    request: ExplanationRequest | None  # None: no row can be read

    @classmethod
    def find(cls, context: AppContext, explainer_id: str, text: str) -> Self:
        """Read the rows; see ``read_pasted`` for what is refused."""
        beside = Beside.of(context, explainer_id)
        pasted = read_pasted(text, beside.known, beside.dataset)
        typed = [TypedValues.read(beside.known, row) for row in pasted.rows]
        names = beside.known["feature_names"]
        instances = [[each.values.get(name) for name in names] for each in typed if not each.refused]
        request = ExplanationRequest(instances=instances, n_prototypes=1, n_reasons=_N_EFFECTS) if instances else None
        return cls(beside, pasted, typed, request)

    def draw(self, answer: bytes | None, failed: Sequence[str] = ()) -> str:
        """Draw a table of the rows, each with its decision.

        Parameters
        ----------
        answer
            The API's; ``None`` where no row could be read or explained.
        failed
            Why not, of each row that could be read and not explained, where none could.
        """
        problems: Sequence[Json] = [{"status": "error", "problem": {"detail": detail}} for detail in failed]
        answered = iter(problems if answer is None else json.loads(answer)["data"])
        explained = [None if each.refused else next(answered) for each in self.typed]
        rows = [self._decided(number, each) for number, each in enumerate(explained)]
        pasted = self.pasted
        table = PastedTable(rows, pasted.unread, pasted.lacking, self.beside.dataset, pasted.n_hidden)
        return draw_pasted_rows(table)

    def _decided(self, number: int, explained: Json | None) -> DecidedRow:
        values, texts = self.typed[number], self.pasted.rows[number]
        problem = next((each.problem for each in values.refused.values()), "")
        if explained is None or explained["status"] == "error":
            problem = problem if explained is None else explained["problem"]["detail"]
            return DecidedRow(number + 1, None, self.beside.form(dict(texts)), problem)
        return DecidedRow(number + 1, explained, self.beside.new_row(values.values), "")
