"""The view of a row: why it is predicted as it is, and what would change if its values did."""

import json
import math
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any, Self

from leafspace_drawings import Call, RefusedValue, WhyContext, draw_explanation
from leafspace_drawings.words import cell

from schemas.explanations import ExplanationRequest
from schemas.prototype_sets import PROTOTYPE_SETS
from storage.dataset_rows import open_rows
from storage.errors import NotFound, StorageError
from storage.feature_matching import target_of_cell

from ..app_context import AppContext
from ..operations import datasets, explainers
from .documents import LINKS, Json, at, of_model, ready, shown_dataset, to_json


@dataclass(frozen=True, slots=True)
class RowToExplain:
    """A row of an explainer's reference dataset, with values that are changed, and what is drawn beside it."""

    row_id: str
    explainer_id: str
    known: Json  # the model
    request: ExplanationRequest
    dataset: Json
    prototype_set: Json
    change: "Change"
    target: str | float | None = None  # of a changed row, in the dataset

    @classmethod
    def find(cls, context: AppContext, explainer_id: str, row_id: str, changed: Mapping[str, str]) -> Self:
        """Read what an explanation and its drawing need."""
        explainer = explainers.get_explainer(context, explainer_id)
        prototypes = ready(context, PROTOTYPE_SETS, explainer.prototype_set)
        known = to_json(context.models.get(explainer.model).view)
        dataset = shown_dataset(context, prototypes["request"]["dataset"])
        if not changed:
            request = ExplanationRequest(dataset=dataset["id"], row_ids=[row_id], detail="full", include=["curves"])
            return cls(row_id, explainer_id, known, request, dataset, prototypes, Change())
        row = _row(context, dataset["id"], row_id)
        change = Change.read(known, row, changed)
        names = known["feature_names"]
        instances: list[Any] = [[of.get(name) for name in names] for of in (row, row | change.values)]
        request = ExplanationRequest(instances=instances, detail="full", include=["curves"])
        target = target_of_cell(row.get(dataset["target"]), known["classes"])
        return cls(row_id, explainer_id, known, request, dataset, prototypes, change, target)

    def draw(self, answer: bytes, chosen: int) -> str:
        """Draw why the row is predicted as it is, from the API's answer to the request."""
        answered = json.loads(answer)
        before, now, change = answered["data"][0], answered["data"][-1], self.change
        if now["status"] == "error":  # the row as it was, with the fields that cannot be so
            now, change = before, change.without(now["problem"]["detail"])
        drawn = WhyContext(
            dataset=self.dataset,
            prototype_set=self.prototype_set,
            provenance=answered["provenance"],
            links=LINKS,
            chosen=chosen,
            is_editable=True,
            changed=change.before,
            unchanged=before if change.before else None,
            refused=change.refused,
        )
        of_row = {"row_id": self.row_id} | ({} if self.target is None else {"target": self.target})
        drawing = draw_explanation(now | of_row, drawn)
        return at(drawing, of_model(self.known, f"row {self.row_id}"), self._call)

    @property
    def _call(self) -> Call:
        """The call that explains the row."""
        body = self.request.model_dump(mode="json", exclude_unset=True)
        rows = f'dataset="{self.dataset["id"]}", row_ids=["{self.row_id}"]'
        if self.change.before:
            shown = {column["name"] for column in self.dataset["columns"]}
            named = zip(self.known["feature_names"], body["instances"][1], strict=True)
            row = {name: value if name in shown else "…" for name, value in named}
            body["instances"] = [[*row.values()]]
            rows = repr([{name: value for name, value in row.items() if name in shown}])
        elif self.request.instances:
            body = {"dataset": self.dataset["id"], "row_ids": [self.row_id]} | body
            del body["instances"]
        python = f'client.explainers.get("{self.explainer_id}").explain({rows}, include=["curves"], detail="full")'
        return Call(f"/v1/explainers/{self.explainer_id}/explanations", python, "POST", body)


@dataclass(frozen=True, slots=True)
class Change:
    """What an address changes in a row."""

    values: Json = field(default_factory=dict)  # by feature, as the model takes them
    before: Json = field(default_factory=dict)  # the former values of what is now another
    refused: Mapping[str, RefusedValue] = field(default_factory=dict)  # what cannot be a value of its feature

    @classmethod
    def read(cls, known: Json, row: Json, texts: Mapping[str, str]) -> Self:
        """Read the texts of an address; the features of others than the model's are refused."""
        types = dict(zip(known["feature_names"], known["feature_types"], strict=True))
        if unknown := [name for name in texts if name not in types]:
            raise StorageError(
                "unknown_feature", f"the model has no feature {unknown[0][:80]!r}", f"/{unknown[0][:80]}"
            )
        values, refused = {}, {}
        for name, text in texts.items():
            try:
                values[name] = value_of(text, types[name])
            except StorageError as error:
                refused[name] = RefusedValue(text, error.detail)
        return cls(values, {name: row.get(name) for name in values if row.get(name) != values[name]}, refused)

    def without(self, problem: str) -> "Change":
        """Return no change but the fields that it was written into, those that the problem names if it does."""
        named = [name for name in self.before if repr(name) in problem] or [*self.before]
        fields = {name: RefusedValue(cell(self.values[name]), problem) for name in named}
        return Change(refused={**self.refused, **fields})


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
        numbers = file.find_rows([row_id])
        if row_id not in numbers:
            raise NotFound("row", row_id[:80], f"dataset {dataset_id!r} has other rows")
        row = numbers[row_id]
    page = b"".join(datasets.list_rows(context, dataset_id, (), 1, str(row)))
    return {cell["name"]: cell["value"] for cell in json.loads(page)["data"][0]["values"]}
