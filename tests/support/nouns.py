"""Every noun of the API once: what tests do "for every noun" is derived from this table.

``tests/contract/test_conventions.py`` compares it with the paths of the contract.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import httpx

from .api import Api, Registered

_SMALL_TREE = {"method": "cart", "max_depth": 2, "max_pseudo_samples": 1000}


@dataclass(frozen=True)
class Noun:
    """A collection of the API, and how tests make one of its things from a registered forest."""

    path: str  # below /v1/
    object: str  # as answers name one thing
    id_prefix: str
    number_field: str = ""  # of its requests: another number makes another thing
    request: Mapping[str, Any] = field(default_factory=dict)  # beside that and what it is made from
    is_made_by_job: bool = False

    @property
    def is_created(self) -> bool:
        """Whether callers create it; a job comes with what it makes."""
        return self.path != "jobs"


NOUNS = (
    Noun("models", "model", "mdl_"),
    Noun("datasets", "dataset", "ds_"),
    Noun("proximities", "proximities", "prx_", "n_neighbors", is_made_by_job=True),
    Noun("prototype-sets", "prototype_set", "prs_", "seed", is_made_by_job=True),
    Noun("label-audits", "label_audit", "lba_", "n_neighbors", is_made_by_job=True),
    Noun("rule-sets", "rule_set", "rls_", "seed", {"max_rules": 3}, is_made_by_job=True),
    Noun("approximation-trees", "approximation_tree", "apt_", "seed", _SMALL_TREE, is_made_by_job=True),
    Noun("explanation-sets", "explanation_set", "exs_", "n_prototypes", is_made_by_job=True),
    Noun("explainers", "explainer", "xpl_"),
    Noun("jobs", "job", "job_"),
    Noun("api-keys", "api_key", "key_"),
)
CREATED = tuple(noun for noun in NOUNS if noun.is_created)
UPLOADED = ("models", "datasets")
FROM_MODEL_AND_DATASET = tuple(noun for noun in NOUNS if noun.is_made_by_job and noun.path != "explanation-sets")


def create(api: Api, forest: Registered, noun: Noun, number: int, **headers: str) -> httpx.Response:
    """Ask for one thing of a noun; another ``number`` asks for another thing."""
    if noun.path == "models":
        return api.upload("/v1/models", forest.fitted.onnx, {"name": f"number {number}"}, **headers)
    if noun.path == "datasets":
        return api.upload("/v1/datasets", f"a,b\n{number},{number}\n".encode(), {"name": "numbered"}, **headers)
    return api.post(f"/v1/{noun.path}", _request(forest, noun, number), **headers)


def _request(forest: Registered, noun: Noun, number: int) -> dict[str, Any]:
    if noun.path == "explainers":
        made_from = {"model": forest.model["id"], "prototype_set": forest.prototype_set["id"]}
        return {**made_from, "name": f"number {number}"}
    if noun.path == "api-keys":
        return {"name": f"number {number}", "scopes": ["read"]}
    if noun.path == "explanation-sets":
        made_from = {"explainer": forest.explainer["id"], "dataset": forest.dataset["id"]}
    else:
        made_from = {"model": forest.model["id"], "dataset": forest.dataset["id"]}
    return {**made_from, **noun.request, noun.number_field: number}
