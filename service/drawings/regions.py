"""The view of regions: what an explainer's model, rules and tree say over two features."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Self

from leafspace_drawings import Call, Panel, RegionsContext, Side, draw_regions
from leafspace_drawings.classes import Classes

from schemas.explanation_parts import PARTS
from schemas.explanations import ExplanationRequest
from schemas.prototype_sets import PROTOTYPE_SETS
from schemas.rule_sets import RULE_SETS
from storage.errors import StorageError

from ..app_context import AppContext
from ..operations import artefacts, explainers, models
from .documents import LINKS, Json, Parameters, at, mean_effects, of_model, ready, shown_dataset, to_json

_CELLS = 31  # each way: as many predictions as one call answers
_MOST_NODES = 2_000_000  # of a model whose questions are counted while somebody waits
_DRAWN_BESIDE = {"rule_set", "approximation_tree"}  # the model, where the explainer has them


@dataclass(frozen=True, slots=True)
class RegionsToExplain:
    """The rows of a grid over two features, and what is drawn beside them."""

    explainer: Json
    known: Json  # the model
    rule_set: Json | None  # whose first rule that holds decides
    across: Side
    up: Side
    beside: RegionsContext
    request: ExplanationRequest

    @classmethod
    def find(cls, context: AppContext, explainer_id: str, parameters: Parameters) -> Self:
        """Choose the features, as the address names them or those that most trees test, and make the grid."""
        explainer = to_json(explainers.get_explainer(context, explainer_id))
        known = to_json(context.models.get(explainer["model"]).view)
        prototypes = ready(context, PROTOTYPE_SETS, explainer["prototype_set"])
        dataset = shown_dataset(context, prototypes["request"]["dataset"], known)
        shown = known["feature_names"] if explainer["shown_features"] == "all" else explainer["shown_features"]
        columns = {column["name"]: column for column in dataset["columns"] if column["name"] in shown}
        numeric = _numeric(context, explainer_id, known, columns)
        across, up = _chosen(parameters, numeric)
        rows = {str(each["row_id"]): each for each in prototypes["result"]["prototypes"]}
        row_id = parameters["row"] if parameters.get("row") in rows else min(rows, key=lambda each: _surety(rows[each]))
        row = _values(context, explainer["prototype_set"], row_id)
        grid = [{**row, across.name: x, up.name: y} for y in up.values for x in across.values]
        instances: list[Any] = [[each.get(name) for name in known["feature_names"]] for each in grid]
        included = [part.name for part in PARTS if part.needs in _DRAWN_BESIDE and explainer[part.needs] is not None]
        request = ExplanationRequest(instances=instances, include=included, n_prototypes=1, n_reasons=1)
        rules = None if explainer["rule_set"] is None else ready(context, RULE_SETS, explainer["rule_set"])
        point = (row.get(across.name), row.get(up.name))
        outcomes = Classes.of_outcomes(known, dataset).labels
        beside = RegionsContext(outcomes, sorted(numeric), row_id, tuple(rows), point, LINKS, dataset)
        return cls(explainer, known, rules, across, up, beside, request)

    def draw(self, answer: bytes) -> str:
        """Draw the regions from the API's answer to the request."""
        rows = json.loads(answer)["data"]
        predicted = [_predicted(row) for row in rows]
        panels = [Panel("the model", self._lines(predicted))]
        if isinstance(predicted[0], str) and len(set(predicted)) == 1:
            panels.append(Panel("its score", self._lines([_score(row) for row in rows]), is_score=True))
        if self.rule_set is not None and self.rule_set["result"]["combination"] != "weighted_mean":
            default = self.rule_set["result"]["default_prediction"]
            decided = [row["rules"][0]["prediction"] if row["rules"] else default for row in rows]
            panels.append(Panel("its rules", self._lines(decided)))
        if self.explainer["approximation_tree"] is not None:
            leaves = [row["approximation_path"]["leaf"]["prediction"] for row in rows]
            panels.append(Panel("the one tree", self._lines(leaves)))
        drawing = draw_regions(self.across, self.up, panels, self.beside)
        path = f"/v1/explainers/{self.explainer['id']}/explanations"
        python = f'client.explainers.get("{self.explainer["id"]}").explain(rows, include={self.request.include})'
        body = self.request.model_dump(mode="json", exclude_unset=True)
        return at(drawing, of_model(self.known, "regions"), Call(path, python, "POST", body | {"instances": ["…"]}))

    def _lines(self, predictions: Sequence[Any]) -> list[Sequence[Any]]:
        width = len(self.across.values)
        return [predictions[start : start + width] for start in range(0, len(predictions), width)]


def _numeric(context: AppContext, explainer_id: str, known: Json, columns: dict[str, Json]) -> dict[str, Json]:
    """Return the columns of the model's numeric features that vary, those that count most first."""
    names: list[str] = [
        name for name, kind in zip(known["feature_names"], known["feature_types"], strict=True) if kind == "number"
    ]
    if 0 < known["n_nodes"] <= _MOST_NODES:
        effects = (mean_effects(context, explainer_id) or {}).get("mean_absolute_effects", ())
        tested = [each.feature for each in models.feature_usage(context, known["id"]).data]
        names = [name for name in dict.fromkeys([*(each["feature"] for each in effects), *tested]) if name in names]
    shown = {name: columns[name] for name in names if name in columns}
    varying = {name: column for name, column in shown.items() if column["min"] != column["max"]}
    if len(varying) < 2:  # one for each axis
        detail = "regions are drawn over two numeric features that vary and are shown, and there are fewer"
        raise StorageError("method_not_applicable", detail)
    return varying


def _values(context: AppContext, prototype_set_id: str, row_id: str) -> Json:
    """Return all values of a prototype by feature, those of hidden features among them, which the model needs, too."""
    result = json.loads(artefacts.get_result(context, PROTOTYPE_SETS, prototype_set_id))
    (features,) = (each["features"] for each in result["prototypes"] if each["row_id"] == row_id)
    return {cell["name"]: cell["value"] for cell in features}


def _chosen(parameters: Parameters, numeric: dict[str, Json]) -> tuple[Side, Side]:
    first, second, *_ = numeric
    x = parameters.get("x", "")
    across = x if x in numeric else first
    y = parameters.get("y", "")
    up = y if y in numeric and y != across else next(name for name in (second, first) if name != across)
    return _side(across, numeric[across]), _side(up, numeric[up])


def _side(name: str, column: Json) -> Side:
    """Return the middles of equal shares of the rows; without quantiles, of equal stretches of values."""
    points: Sequence[float] = column.get("quantiles") or (column["min"], column["max"])
    last = len(points) - 1
    values = []
    for cell in range(_CELLS):
        position = (cell + 0.5) / _CELLS * last
        low = int(position)
        values.append(points[low] + (points[low + 1] - points[low]) * (position - low))
    return Side(name, values, all(float(point).is_integer() for point in points))


def _surety(prototype: Json) -> float:
    """Return the share of the rows nearest to a prototype that are of its class: where it is low, answers change."""
    share = prototype["quality"]["consistent_votes"]
    return 1.0 if share is None else float(share)


def _predicted(row: Json) -> float | str:
    """Return what is decided on a row: an outcome, a label or a value."""
    prediction = row["prediction"]
    if row.get("decision"):
        return str(row["decision"]["outcome"])
    predicted: float | str = prediction["label" if prediction["task"] == "classification" else "value"]
    return predicted


def _score(row: Json) -> float:
    """Return the score that decides on a row."""
    if row.get("decision"):
        return float(row["decision"]["score"])
    return max(float(score["value"]) for score in row["prediction"]["scores"])
