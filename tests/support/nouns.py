"""How tests make one thing of each noun; everything else "for every noun" is derived from the declared nouns."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import httpx

from schemas.explanation_parts import PARTS
from schemas.noun import Noun
from schemas.nouns import NOUNS

from .api import Api, Registered, csv_of, frame_of

_SHOWN_PARTS = {
    "n_prototypes": 1,
    "n_reasons": 2,
    "include": [part.name for part in PARTS if not part.is_default],
    "nearest_rows": {"n_rows": 1},
}
_SMALL_TREE = {"method": "cart", "max_depth": 2, "max_pseudo_samples": 1000}


@dataclass(frozen=True)
class Example:
    """A request for one thing: other values of the numbered field request other things.

    Tests request small things; what the contract shows as an example has more in it.
    """

    number_field: str
    request: Mapping[str, Any] = field(default_factory=dict)  # beside that field and what it is made from
    shown: Mapping[str, Any] = field(default_factory=dict)  # what ``scripts/write_examples.py`` requests instead
    is_text: bool = False  # whether that field takes the number as text

    def numbered(self, number: int) -> dict[str, Any]:
        """Return the fields of the request of this number."""
        return {**self.request, self.number_field: str(number) if self.is_text else number}


EXAMPLES = {
    "proximities": Example("n_neighbors", shown={"n_neighbors": 5}),
    "prototype_sets": Example("seed", shown={"n_prototypes": 3, "refine": "swap"}),
    "label_audits": Example("n_neighbors", {"method": "neighbors"}),
    "maps": Example("seed", {"n_rows": 40, "n_neighbors": 12}, shown={"n_rows": 60, "n_neighbors": 15}),
    "comparisons": Example("seed", shown={"seed": 0}),
    "evaluations": Example("seed", shown={"group_by": ["petal_length"]}),
    "rule_sets": Example("seed", {"max_rules": 3}, shown={"method": "fab", "boxes": "shortened", "max_rules": 4}),
    "approximation_trees": Example("seed", _SMALL_TREE, shown={"max_depth": 2, "max_pseudo_samples": 10_000}),
    "explanation_sets": Example("n_prototypes", shown=_SHOWN_PARTS),
    "reports": Example("title", shown={"title": "Iris forest, March", "rows": ["17"]}, is_text=True),
    "relational_forests": Example(
        "seed",
        {"n_trees": 1, "min_samples_leaf": 1},
        shown={"method": "tilde", "min_samples_leaf": 1, "pruning": "none"},
    ),
}
LISTED = NOUNS.stored
CREATED = tuple(noun for noun in LISTED if noun.making is not None)
"""Nouns that callers create by POST; a job comes with what it makes, and names are PUT."""
PUT = tuple(noun for noun in LISTED if noun.named_by_callers)
STORED = NOUNS["explanations"]
"""What is kept of answers, where the explainer says so."""
MADE = (*CREATED, *PUT, STORED)
UPLOADED = ("/v1/models", "/v1/datasets", "/v1/relational-datasets")
FROM_MODEL_AND_DATASET = tuple(noun for noun in NOUNS.made_by_jobs if {"model", "dataset"} <= set(noun.made_from))


def create(api: Api, forest: Registered, noun: Noun[Any], number: int, **headers: str) -> httpx.Response:
    """Request one thing of a noun; another ``number`` requests another thing."""
    if noun.name == "models":
        return api.upload(noun.path, forest.fitted.onnx, {"name": f"number {number}"}, **headers)
    if noun == STORED:
        explained = _explain_and_store(api, forest, number)
        return api.get(f"{noun.path}/{explained['id']}")
    if noun.named_by_callers:
        request = {"explainer": forest.explainer["id"]}
        return api.http.put(f"{noun.path}/number-{number}", json=request, headers=headers)
    if noun.name == "datasets":
        return api.upload(noun.path, f"a,b\n{number},{number}\n".encode(), {"name": "numbered"}, **headers)
    if noun.name == "relational_datasets":
        tables = {"parent.csv": f"id,a\n1,{number}\n", "child.csv": "parent_id\n1\n"}
        metadata = {
            "name": "numbered",
            "examples": {"table": "parent"},
            "tables": [{"name": "parent"}, {"name": "child"}],
        }
        return api.upload_tables(noun.path, tables, metadata, **headers)
    return api.post(noun.path, _request(api, forest, noun, number), **headers)


def storing_explainer(api: Api, forest: Registered) -> str:
    """Return the id of an explainer that stores what it explains."""
    parts = {"model": forest.model["id"], "prototype_set": forest.prototype_set["id"]}
    made = api.post("/v1/explainers", {**parts, "name": "for the record", "store_explanations": True})
    assert made.is_success, made.text
    return str(made.json()["id"])


def _explain_and_store(api: Api, forest: Registered, number: int) -> dict[str, Any]:
    row_ids = [f"row {number}"]
    answer = api.explain(storing_explainer(api, forest), [forest.instance(number)], row_ids=row_ids)
    stored: dict[str, Any] = answer["data"][0]
    return stored


def _tables(api: Api) -> str:
    """Return the id of a relational dataset that can be learned from."""
    rows = "".join(f"{row},{row},{'no' if row < 5 else 'yes'}\n" for row in range(10))
    metadata = {"examples": {"table": "parent", "target": "label"}, "tables": [{"name": "parent"}]}
    made = api.upload_tables("/v1/relational-datasets", {"parent.csv": f"id,a,label\n{rows}"}, metadata)
    assert made.is_success, made.text
    return str(made.json()["id"])


def _newer_rows(api: Api, forest: Registered) -> str:
    """Return the id of a dataset of some of the reference rows, as if they were newer."""
    newer = api.upload("/v1/datasets", csv_of(frame_of(forest.fitted).iloc[::2]), {"name": "newer rows"})
    assert newer.is_success, newer.text
    return str(newer.json()["id"])


def _request(api: Api, forest: Registered, noun: Noun[Any], number: int) -> dict[str, Any]:
    if noun.name == "api_keys":
        return {"name": f"number {number}", "scopes": ["read"]}
    if noun.name == "explainers":
        return {"model": forest.model["id"], "prototype_set": forest.prototype_set["id"], "name": f"number {number}"}
    if noun.name == "feature_sets":
        over = {"variable": "example", "column": "a", "operator": ">", "value": number}
        return {"relational_dataset": _tables(api), "features": [{"kind": "exists", "conditions": [over]}]}
    if noun.name not in EXAMPLES:
        detail = f"tests do not know how to request {noun.name}: add an example to tests/support/nouns.py"
        raise LookupError(detail)
    return {**inputs_of(api, forest, noun), **EXAMPLES[noun.name].numbered(number)}


def inputs_of(api: Api, forest: Registered, noun: Noun[Any]) -> dict[str, Any]:
    """Return what a request must name that a noun is made from."""
    known = {
        "model": forest.model["id"],
        "dataset": forest.dataset["id"],
        "explainer": forest.explainer["id"],
        "prototype_set": forest.prototype_set["id"],
    }
    if "other_dataset" in noun.made_from:
        known["other_dataset"] = _newer_rows(api, forest)
    if "relational_dataset" in noun.made_from:
        known["relational_dataset"] = _tables(api)
    return {name: known[name] for name in noun.made_from if name in known}
