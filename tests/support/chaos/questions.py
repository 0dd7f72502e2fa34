"""Questions of every kind that takes a job, on small real data, and what jobs without faults answer to them."""

import itertools
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from schemas.approximation_trees import ApproximationTreeRequest
from schemas.evaluations import EvaluationRequest
from schemas.explanation_sets import ExplanationSetRequest
from schemas.label_audits import LabelAuditRequest
from schemas.prototype_sets import PrototypeSetRequest
from schemas.proximities import ProximitiesRequest
from schemas.rule_sets import RuleSetRequest
from service.operations import (
    approximation_trees,
    evaluations,
    explanation_sets,
    label_audits,
    prototype_sets,
    proximities,
    rule_sets,
)
from storage.artefacts import ArtefactStore
from storage.database import Database
from storage.tables import artefacts
from tests.support.api import Api, frame_of, parquet_of
from tests.support.models import fitted
from tests.support.workshop import Workshop, workshop_in

_MODELS = {"random_forest_binary": "random_forest", "gradient_boosting_multiclass": "boosting"}
_N_PROTOTYPES = 8
_REQUESTS: dict[str, tuple[Callable[..., Any], Any]] = {
    "/v1/approximation-trees": (approximation_trees.request_approximation_tree, ApproximationTreeRequest),
    "/v1/evaluations": (evaluations.request_evaluation, EvaluationRequest),
    "/v1/explanation-sets": (explanation_sets.request_explanation_set, ExplanationSetRequest),
    "/v1/label-audits": (label_audits.request_label_audit, LabelAuditRequest),
    "/v1/prototype-sets": (prototype_sets.request_prototype_set, PrototypeSetRequest),
    "/v1/proximities": (proximities.request_proximities, ProximitiesRequest),
    "/v1/rule-sets": (rule_sets.request_rule_set, RuleSetRequest),
}
KINDS = tuple(sorted(path.removeprefix("/v1/").replace("-", "_") for path in _REQUESTS))
Made = tuple[str | None, str | None, tuple[tuple[str, str], ...]]
"""Hashes of the objects that make up an artefact: result, arrays, files by name."""


@dataclass(frozen=True)
class Known:
    """What questions are about: a registered model, its rows, an explainer."""

    model: str
    dataset: str
    explainer: str

    @property
    def about(self) -> dict[str, str]:
        return {"model": self.model, "dataset": self.dataset}


@dataclass(frozen=True)
class Question:
    """Something to request."""

    path: str
    request: dict[str, Any]


def register_all(api: Api) -> list[Known]:
    """Register over HTTP what questions are about."""
    return [_register(api, name, ensemble) for name, ensemble in _MODELS.items()]


def questions(known: Sequence[Known]) -> Iterator[Question]:
    """Yield different questions, of each kind in turn, about each model in turn."""
    for turn in itertools.count():
        about = known[turn % len(known)]
        yield Question("/v1/proximities", about.about | {"n_neighbors": 3 + turn})
        yield Question("/v1/label-audits", about.about | {"method": "neighbors", "n_neighbors": 3 + turn})
        yield Question("/v1/evaluations", about.about | {"seed": turn})
        swaps = {"n_prototypes": 3 + turn, "refine": "swap", "seed": turn}
        yield Question("/v1/prototype-sets", about.about | swaps)
        yield Question("/v1/rule-sets", about.about | {"seed": turn, "n_restarts": 3})
        yield Question("/v1/approximation-trees", about.about | _tree(turn))
        # Two for each number of prototypes and model.
        changes = {"n_prototypes": 1 + turn // 4, "include": ["contrast"] if turn % 4 > 1 else []}
        yield Question("/v1/explanation-sets", {"explainer": about.explainer, "dataset": about.dataset} | changes)


def answers_without_faults(directory: Path, requested: Iterable[Question]) -> dict[str, Made]:
    """Return what is made of these questions, by artefact, in this process and in one directory of its own."""
    with workshop_in(directory) as workshop:
        register_all_in(workshop)
        for question in requested:
            workshop.run(request_in(workshop, question))
        return made(workshop.context.database)


def register_all_in(workshop: Workshop) -> list[Known]:
    """Register the same without a service."""
    return [_register_in(workshop, name, ensemble) for name, ensemble in _MODELS.items()]


def request_in(workshop: Workshop, question: Question) -> str:
    """Request a job without a service; return the job."""
    make, kind = _REQUESTS[question.path]
    job: str = make(workshop.context, kind.model_validate(question.request)).job
    return job


def made(database: Database) -> dict[str, Made]:
    """Return of all artefacts which objects they are."""
    store = ArtefactStore(database)
    with database.reading() as connection:
        rows = connection.execute(artefacts.select()).mappings().all()
    found = [store.get(row["noun"], row["id"]) for row in rows]
    return {each.id: (each.result, each.arrays, tuple(sorted(each.files.items()))) for each in found}


def _tree(turn: int) -> dict[str, Any]:
    if turn % 3 == 0:
        return {"method": "sta", "seed": turn, "max_pseudo_samples": 3_000}
    return {"method": "ism", "max_depth": 3 + turn % 5, "min_samples_leaf": 2 + turn}


def _register(api: Api, name: str, ensemble: str) -> Known:
    model = fitted(name)
    registered = api.upload("/v1/models", model.onnx, _declared(name, ensemble))
    dataset = api.upload("/v1/datasets", parquet_of(frame_of(model)), {"target": "t"})
    assert registered.status_code == dataset.status_code == 201, registered.text + dataset.text  # created
    about = {"model": registered.json()["id"], "dataset": dataset.json()["id"]}
    prototypes = api.make(**about, n_prototypes=_N_PROTOTYPES)
    explainer = api.post("/v1/explainers", {"model": about["model"], "prototype_set": prototypes["id"]})
    return Known(**about, explainer=explainer.json()["id"])


def _register_in(workshop: Workshop, name: str, ensemble: str) -> Known:
    model = fitted(name)
    about = {
        "model": workshop.register_model(model.onnx, **_declared(name, ensemble)),
        "dataset": workshop.register_dataset(frame_of(model), target="t"),
    }
    prototypes = workshop.make(**about, n_prototypes=_N_PROTOTYPES)
    explainer = workshop.register_explainer(model=about["model"], prototype_set=prototypes.id)
    return Known(**about, explainer=explainer)


def _declared(name: str, ensemble: str) -> dict[str, object]:
    return {"feature_names": list(fitted(name).rows.names), "ensemble": ensemble}
