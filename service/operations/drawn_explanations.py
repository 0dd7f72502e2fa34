"""The view of a row: why it is predicted as it is, and what would change if its values did."""

import json
import math
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, Self

from leafspace_drawings import Call, WhyContext, draw_explanation

from schemas.explanations import ExplanationRequest
from schemas.nouns import PROTOTYPE_SETS
from storage.dataset_rows import open_rows
from storage.errors import NotFound, StorageError

from ..app_context import AppContext
from . import datasets, explainers, models
from .drawn_documents import LINKS, Json, at, of_model, ready, to_json

_PARTS: tuple[Any, ...] = ("values", "intervals", "contrast", "rules", "approximation_path")


@dataclass(frozen=True, slots=True)
class RowToExplain:
    """A row of an explainer's reference dataset, with values that are changed, and what is drawn beside it."""

    row_id: str
    explainer_id: str
    known: Json  # the model
    request: ExplanationRequest
    before: Json  # the former values of what is changed
    dataset: Json
    prototype_set: Json

    @classmethod
    def find(cls, context: AppContext, explainer_id: str, row_id: str, changed: Mapping[str, str]) -> Self:
        """Read what an explanation and its drawing need."""
        explainer = explainers.get_explainer(context, explainer_id)
        prototypes = ready(context, PROTOTYPE_SETS, explainer.prototype_set)
        known = to_json(models.get_model(context, explainer.model))
        dataset = to_json(datasets.get_dataset(context, prototypes["request"]["dataset"]))
        request, before = _request_for(context, known, dataset, row_id, changed)
        return cls(row_id, explainer_id, known, request, before, dataset, prototypes)

    def draw(self, answer: bytes, chosen: int) -> str:
        """Draw why the row is predicted as it is, from the API's answer to the request."""
        found = json.loads(answer)
        drawn = WhyContext(
            dataset=self.dataset,
            prototype_set=self.prototype_set,
            provenance=found["provenance"],
            links=LINKS,
            chosen=chosen,
            is_editable=True,
            changed=self.before,
        )
        drawing = draw_explanation(found["data"][0] | {"row_id": self.row_id}, drawn)
        return at(drawing, of_model(self.known, f"row {self.row_id}"), self._call)

    @property
    def _call(self) -> Call:
        """The call that explains the row."""
        body = self.request.model_dump(mode="json", exclude_unset=True)
        rows = f'dataset="{self.dataset["id"]}", row_ids=["{self.row_id}"]'
        if self.request.instances:
            rows = repr([dict(zip(self.known["feature_names"], self.request.instances[0], strict=True))])
        python = f'client.explainers.get("{self.explainer_id}").explain({rows}, include={list(_PARTS)})'
        return Call(f"/v1/explainers/{self.explainer_id}/explanations", python, "POST", body)


def _request_for(
    context: AppContext, known: Json, dataset: Json, row_id: str, changed: Mapping[str, str]
) -> tuple[ExplanationRequest, Json]:
    """Return the request, and the former values of what is changed."""
    if not changed:
        return ExplanationRequest(dataset=dataset["id"], row_ids=[row_id], include=_PARTS, detail="full"), {}
    row = _row(context, dataset["id"], row_id)
    types = dict(zip(known["feature_names"], known["feature_types"], strict=True))
    if unknown := [name for name in changed if name not in types]:
        raise StorageError("unknown_feature", f"the model has no feature {unknown[0][:80]!r}", f"/{unknown[0][:80]}")
    now = row | {name: value_of(text, types[name]) for name, text in changed.items()}
    instance = [now.get(name) for name in types]
    before = {name: row.get(name) for name in changed if row.get(name) != now[name]}
    return ExplanationRequest(instances=[instance], include=_PARTS, detail="full"), before


def value_of(text: str, kind: str) -> float | bool | str | None:
    """Return what a field of the page says; an empty one is missing."""
    if not text:
        return None
    if kind == "boolean":
        return text.lower() in {"yes", "true", "1"}
    if kind != "number":
        return text
    with suppress(ValueError):
        value = float(text.replace(",", ""))
        if math.isfinite(value):
            return value
    raise StorageError("validation_failed", f"{text[:80]!r} is not a finite number; write one, such as 12.5")


def _row(context: AppContext, dataset_id: str, row_id: str) -> Json:
    """Return a row's values by column."""
    with open_rows(context.objects, context.datasets.get(dataset_id).content, pages=True) as file:
        found = file.find_rows([row_id])
        if row_id not in found:
            raise NotFound("row", row_id[:80], f"dataset {dataset_id!r} has other rows")
        row = found[row_id]
    page = b"".join(datasets.list_rows(context, dataset_id, (), 1, str(row)))
    return {cell["name"]: cell["value"] for cell in json.loads(page)["data"][0]["values"]}
