"""The view of a row: why it is predicted as it is, and what would change if its values did."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Self

from leafspace_drawings import Call, ColumnNames, RefusedValue, WhyContext, draw_explanation, draw_letter
from leafspace_drawings.words import cell, name_or_id

from schemas.explanations import ExplanationRequest
from schemas.prototype_sets import PROTOTYPE_SETS
from storage.dataset_rows import open_rows
from storage.errors import NotFound, StorageError
from storage.feature_matching import target_of_cell

from ..app_context import AppContext
from ..operations import datasets, explainers
from ..operations.explanations import warm_explainer
from .documents import LINKS, Json, at, of_model, ready, shown_dataset, to_json
from .forms import ReportedRow
from .typed_values import TypedValues, parameters_of, query_of

_MOST_FOLDED = 200  # lines of features, so that the view of a wide row stays small
_MOST_FEATURES_OF_PAIRS = 40  # of a model; pairs of more may take a minute, and are searched where that is asked for
_MOST_ALONE = 8  # changes of which each is made alone, too
HIDDEN = "…"  # stands for the value of a hidden feature


@dataclass(frozen=True, slots=True)
class RowToExplain:
    """A row with values that are changed, and what is drawn beside it.

    It is one of an explainer's reference dataset, or a new one, whose values an address has.
    """

    row_id: str | None  # None: it is new
    beside: "Beside"
    request: ExplanationRequest
    change: "Change"
    own: TypedValues = field(default_factory=TypedValues)  # of a new row
    elsewhere: Json | None = None  # the dataset that the row is of; None: the explainer's own
    target: str | float | None = None  # of a changed row, in the dataset
    alone: ExplanationRequest | None = None  # of several changes, each alone: its prediction

    @classmethod
    def find(
        cls,
        context: AppContext,
        explainer_id: str,
        row_id: str,
        changed: Mapping[str, str],
        outcome: str | None = None,
        dataset_id: str | None = None,
        *,
        with_pairs: bool = False,
    ) -> Self:
        """Read what the explanation of a row of a registered dataset, and its drawing, need.

        ``outcome`` is the one that changes aim at; None: as requests without it do. Without ``dataset_id`` the row is
        one of the reference dataset. ``with_pairs``: changes of several features are searched of wide models, too.
        """
        beside = Beside.of(context, explainer_id, outcome, with_pairs=with_pairs)
        is_own = dataset_id in {None, beside.dataset["id"]}
        elsewhere = None if is_own else to_json(context.datasets.summary(dataset_id or ""))
        dataset = elsewhere or beside.dataset
        shown = partial(cls, row_id, beside, elsewhere=elsewhere)
        if not changed:
            return shown(beside.request(dataset=dataset["id"], row_ids=[row_id]), Change())
        row = _row(context, dataset["id"], row_id)
        change = Change.of(row, beside.typed(changed))
        target = target_of_cell(row.get(dataset["target"]), beside.known["classes"])
        request = beside.request(instances=beside.instances(row, change))
        return shown(request, change, target=target, alone=beside.each_alone(row, change))

    @classmethod
    def find_new(
        cls,
        context: AppContext,
        explainer_id: str,
        own: Mapping[str, str],
        changed: Mapping[str, str],
        outcome: str | None = None,
        *,
        with_pairs: bool = False,
    ) -> Self:
        """Read what the explanation of a new row needs, of which an address has the values."""
        beside = Beside.of(context, explainer_id, outcome, with_pairs=with_pairs)
        typed = beside.typed(own)
        change = Change.of(typed.values, beside.typed(changed))
        request = beside.request(instances=beside.instances(typed.values, change))
        return cls(None, beside, request, change, own=typed, alone=beside.each_alone(typed.values, change))

    def draw(self, answer: bytes, alone: bytes | None, chosen: int, letter: str | None = None) -> str:
        """Draw why the row is predicted as it is, from the API's answers to both requests.

        ``letter`` is the heading of the letter that is drawn instead, where the model can read the row; empty: the
        usual one.
        """
        answered = json.loads(answer)
        if letter is not None and answered["data"][-1]["status"] != "error":
            return self._letter(answered["data"][-1], letter)
        before, now = answered["data"][0], answered["data"][-1]
        change, beside = self.change, self.beside
        each_alone = [] if alone is None else json.loads(alone)["data"]
        if now["status"] == "error":  # the row as it was, with the fields that cannot be so
            now, change, each_alone = before, change.without(now["problem"]["detail"]), []
        drawn = WhyContext(
            dataset=beside.dataset,
            prototype_set=beside.prototype_set,
            provenance=answered["provenance"],
            links=LINKS,
            chosen=chosen,
            is_editable=True,
            changed=change.before,
            unchanged=before if change.before else None,
            alone=dict(zip(change.before, each_alone, strict=True)) if each_alone else {},
            refused=change.refused,
            fixed=beside.fixed,
            n_folded=_MOST_FOLDED,
            form=None if self.row_id is not None else beside.form(self.own.values),
            letter=self._address(change, letter=""),
            report=self.report_address if self.is_filed else None,
            shown_by=beside.explainer_id,
            more_changes=self._address(change, pairs="1") if beside.is_brief else None,
        )
        of_row = {"row_id": self.row_id or ""} | ({} if self.target is None else {"target": self.target})
        drawing = draw_explanation(now | of_row | self._others(now), drawn)
        return at(drawing, of_model(beside.known, self.title), self._call)

    def _others(self, explained: Json) -> Json:
        """Return the nearest reference rows without the row itself, which is no evidence of itself."""
        if self.row_id is None or self.elsewhere is not None or "nearest_rows" not in explained:
            return {}
        return {"nearest_rows": [each for each in explained["nearest_rows"] if each["row_id"] != self.row_id]}

    def _letter(self, explained: Json, heading: str) -> str:
        why = self.address
        *way, (row, _) = of_model(self.beside.known, self.title)
        names = ColumnNames(self.beside.dataset)
        changed = [names[name].said for name in self.change.before]
        return at(draw_letter(explained, heading, why, changed), [*way, (row, why), ("letter", None)], self._call)

    @property
    def is_filed(self) -> bool:
        """Whether a report can show the row: a changed one goes by its values, of which none may be hidden then."""
        return self.row_id is None or not self.change.before or not self.beside.hides_some

    @property
    def report_address(self) -> str:
        """The address of the form that makes a report of the row as it is shown."""
        changed = {name: self.change.values[name] for name in self.change.before}
        named = {} if self.row_id is None else {"row": self.row_id}
        named |= {"dataset": self.elsewhere["id"]} if self.elsewhere else {}
        return self.beside.address(parameters_of(self.own.values, changed) | named, "report")

    @property
    def reported(self) -> ReportedRow:
        """What a report of it requests."""
        if self.row_id is not None and not self.change.before:
            elsewhere = {"rows_dataset": self.elsewhere["id"]} if self.elsewhere else {}
            return ReportedRow(f"Why {self.title} was predicted as it was", {"rows": [self.row_id], **elsewhere})
        of_values = {"instances": [self.request.instances[-1]]}
        if self.row_id is None:
            return ReportedRow("Why the new row was predicted as it was", of_values, "")
        title = f"Why {self.title} with other values was predicted as it was"
        return ReportedRow(title, of_values, f"{self.row_id} with other values")

    @property
    def title(self) -> str:
        """What the row is called."""
        if self.row_id is None:
            return "new row"
        return f"row {self.row_id}{f' of {name_or_id(self.elsewhere)}' if self.elsewhere else ''}"

    @property
    def address(self) -> str:
        """The address of its view, as it is shown."""
        return self._address(self.change)

    def _address(self, change: "Change", **more: str) -> str:
        """Return the address of the row with its changes, and with more parameters."""
        names = ("new-row",) if self.row_id is None else ("rows", self.row_id)
        changed = {name: change.values[name] for name in change.before}
        wished = {"outcome": self.beside.outcome} if self.beside.outcome else {}
        wished |= {"dataset": self.elsewhere["id"]} if self.elsewhere else {}
        wished |= {"pairs": "1"} if self.beside.with_pairs else {}
        parameters = parameters_of(self.own.values, changed) | wished | more
        return self.beside.address(parameters, *names)

    @property
    def _call(self) -> Call:
        """The call that explains the row."""
        body = self.request.model_dump(mode="json", exclude_unset=True)
        if self.row_id is not None and not self.change.before:
            dataset = (self.elsewhere or self.beside.dataset)["id"]
            rows = f'dataset="{dataset}", row_ids=["{self.row_id}"]'
            body = {"dataset": dataset, "row_ids": [self.row_id]} | body
            body.pop("instances", None)
        else:
            row = self.beside.shown(body["instances"][-1])
            body["instances"] = [[*row.values()]]
            rows = repr([{name: value for name, value in row.items() if value != HIDDEN}])
        brief = ", max_changed_features=1" if self.beside.is_brief else ""
        python = f'explain({rows}, include={body["include"]!r}, detail="full"{brief})'
        python = f'client.explainers.get("{self.beside.explainer_id}").{python}'
        return Call(f"/v1/explainers/{self.beside.explainer_id}/explanations", python, "POST", body)


@dataclass(frozen=True, slots=True)
class Beside:
    """What stands beside the rows that an explainer explains."""

    explainer_id: str
    known: Json  # the model
    dataset: Json
    prototype_set: Json
    fixed: frozenset[str]  # features that are never changed, by the dictionary: fixed and protected ones
    include: tuple[Any, ...]  # parts that are asked for, of those that the explainer can give
    outcome: str | None = None  # that changes aim at
    with_pairs: bool = False  # whether changes of several features are searched, however wide the model is

    @classmethod
    def of(
        cls, context: AppContext, explainer_id: str, outcome: str | None = None, *, with_pairs: bool = False
    ) -> Self:
        """Read it."""
        explainer = explainers.get_explainer(context, explainer_id)
        prototypes = ready(context, PROTOTYPE_SETS, explainer.prototype_set)
        warm = warm_explainer(context, explainer_id)
        known = to_json(context.models.get(explainer.model).view)
        dataset = shown_dataset(context, prototypes["request"]["dataset"], known)
        words = context.dictionaries.get(dataset["id"]).words or {}
        bound = (each for each in words.get("features", ()) if each.get("fixed") or each.get("protected"))
        fixed = frozenset(each["name"] for each in bound)
        include = ["curves"]
        if warm.evidence is not None:
            include += ["nearest_rows", *(["evidence"] if warm.evidence.has_targets else [])]
        if warm.model.outcomes:
            include.append("changes")
        return cls(explainer_id, known, dataset, prototypes, fixed, tuple(include), outcome, with_pairs)

    @property
    def hides_some(self) -> bool:
        """Whether the dictionary hides features of the model."""
        return not {column["name"] for column in self.dataset["columns"]}.issuperset(self.known["feature_names"])

    @property
    def is_brief(self) -> bool:
        """Whether changes of one feature alone are searched at first, as the model is wide."""
        is_wide = self.known["n_features"] > _MOST_FEATURES_OF_PAIRS
        return is_wide and "changes" in self.include and not self.with_pairs

    def typed(self, texts: Mapping[str, str]) -> TypedValues:
        """Read the values of an address; refuse those of what is hidden, as the view would have to show them."""
        columns = {column["name"] for column in self.dataset["columns"]}
        if any(name in self.known["feature_names"] and name not in columns for name in texts):
            raise StorageError("validation_failed", "the address has a feature that the dictionary hides; leave it out")
        return TypedValues.read(self.known, texts)

    def request(self, **rows: Any) -> ExplanationRequest:
        """Return the request to explain rows."""
        wished: Json = {} if not self.outcome else {"outcome": self.outcome}
        wished |= {"max_changed_features": 1} if self.is_brief else {}
        return ExplanationRequest(**rows, **wished, detail="full", include=list(self.include))

    def instances(self, row: Json, change: "Change") -> list[Any]:
        """Return the row as it was, and with all that is changed."""
        changed = {name: change.values[name] for name in change.before}
        return self._in_order([row, *([row | changed] if changed else [])])

    def each_alone(self, row: Json, change: "Change") -> ExplanationRequest | None:
        """Return the request for the row with each of a few changes alone, of which the prediction is shown."""
        if not 1 < len(change.before) <= _MOST_ALONE:
            return None
        rows = [row | {name: change.values[name]} for name in change.before]
        return ExplanationRequest(instances=self._in_order(rows), n_prototypes=1, n_reasons=1)

    def _in_order(self, rows: Sequence[Json]) -> list[Any]:
        return [[row.get(name) for name in self.known["feature_names"]] for row in rows]

    def shown(self, instance: list[Any]) -> Json:
        """Return an instance by feature, without the values of hidden ones."""
        columns = {column["name"] for column in self.dataset["columns"]}
        named = zip(self.known["feature_names"], instance, strict=True)
        return {name: value if name in columns else HIDDEN for name, value in named}

    def form(self, values: Json) -> str:
        """Return the address of the form with these values."""
        return self.address(parameters_of(values, {}), "form")

    def new_row(self, values: Json) -> str:
        """Return the address of the view of a new row with these values."""
        return self.address(parameters_of(values, {}), "new-row")

    def address(self, parameters: Mapping[str, str], *names: str) -> str:
        """Return the address of one of the explainer's views."""
        return f"{LINKS.to('explainers', self.explainer_id, *names)}{query_of(parameters)}"


@dataclass(frozen=True, slots=True)
class Change:
    """What an address changes in a row."""

    values: Json = field(default_factory=dict)  # by feature, as the model takes them
    before: Json = field(default_factory=dict)  # the former values of what is now another
    refused: Mapping[str, RefusedValue] = field(default_factory=dict)  # what cannot be a value of its feature

    @classmethod
    def of(cls, row: Json, typed: TypedValues) -> Self:
        """Return what typed values change in a row."""
        before = {name: row.get(name) for name, value in typed.values.items() if row.get(name) != value}
        return cls(typed.values, before, typed.refused)

    def without(self, problem: str) -> "Change":
        """Return no change but the fields that it was written into, those that the problem names if it does."""
        named = [name for name in self.before if repr(name) in problem] or [*self.before]
        fields = {name: RefusedValue(cell(self.values[name]), problem) for name in named}
        return Change(refused={**self.refused, **fields})


def _row(context: AppContext, dataset_id: str, row_id: str) -> Json:
    """Return a row's values by column."""
    with open_rows(context.objects, context.datasets.get(dataset_id).content, pages=True) as file:
        numbers = file.find_rows([row_id])
        if row_id not in numbers:
            raise NotFound("row", row_id[:80], f"dataset {dataset_id!r} has other rows")
        row = numbers[row_id]
    page = b"".join(datasets.list_rows(context, dataset_id, (), 1, str(row)))
    return {cell["name"]: cell["value"] for cell in json.loads(page)["data"][0]["values"]}
