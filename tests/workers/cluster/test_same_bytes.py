"""The contract of every kind of job on a cluster: the same bytes as in one process, however rows are cut."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from storage.errors import StorageError
from storage.object_store import PreparedFile
from tests.support.clusters import PartitionsHere, SmallCluster
from tests.support.job_contexts import job_context
from tests.support.models import onnx_of
from tests.support.patience import PATIENCE_SECONDS
from tests.support.real_jobs import RealCase
from tests.support.workshop import Workshop
from tree_explainers.compute.partitions import LocalPartitions
from tree_explainers.compute.progress import no_tick
from workers.cluster.settings import ClusterSettings
from workers.job_kinds import load_job_kinds
from workers.jobs import approximation_tree_growth, rule_set_rows
from workers.runtime.context import JobContext, Produced

from .conftest import FindCase

_N_PROTOTYPES = 20
_LONG = {"n_prototypes": _N_PROTOTYPES, "n_reasons": "all"}  # explanations of so few rows have several blocks
_BLOCKS = {1: 300, 2: 150, 5: 60}  # rows of a block, by the number of partitions of 300 rows
_QUICK_TREE = {"max_depth": 3, "max_pseudo_samples": 1_000}
_BY_PROXIMITY: dict[str, dict[str, Any]] = {
    "prototype_sets sm_a": {
        "method": "sm_a", "refine": "swap", "n_candidates": 60, "n_prototypes": 4, "min_leaf_rows": 5,
    },
    "prototype_sets sm_u": {"method": "sm_u", "min_leaf_rows": 1, "n_prototypes": 6},
    "prototype_sets sm_wa": {"method": "sm_wa", "coverage": 0.5},
    "prototype_sets sg": {
        "method": "sg", "selected_on": "evaluation_dataset", "labels": "target", "n_prototypes": 4,
    },
    "prototype_sets a_pete": {"method": "a_pete", "alpha": 0.2, "refine": "swap"},
    "prototype_sets k_medoids": {"method": "k_medoids", "n_prototypes": "validate"},
    "label_audits": {"n_neighbors": None},
    "label_audits of neighbors": {"method": "neighbors", "n_neighbors": 7},
    "proximities": {"n_neighbors": 9, "min_leaf_rows": 3},
    "proximities kernel": {"n_neighbors": 9, "min_leaf_rows": 3, "proximity_kind": "kernel"},
    "proximities graded": {"n_neighbors": 9, "min_leaf_rows": 3, "proximity_kind": "graded"},
}  # fmt: skip
_OTHERS: dict[str, dict[str, Any]] = {
    "explanation_sets": {"include": ["contrast", "values"], **_LONG},
    "explanation_sets of all": {"detail": "full", **_LONG},
    "approximation_trees sta": {"method": "sta", **_QUICK_TREE},
    "approximation_trees born again": {"method": "born_again", **_QUICK_TREE},
    "approximation_trees ism": {"method": "ism", "max_depth": 4},
    "approximation_trees ism of drawn rows": {"method": "ism", "fitted_on": "generator", **_QUICK_TREE},
    "rule_sets of few rows": {"method": "fab", "n_restarts": 3, "max_rules": 5},
    "rule_sets in_trees": {"method": "in_trees"},
}
_RULES: dict[str, dict[str, Any]] = {
    "rule_sets rule_list": {"method": "rule_list", "n_restarts": 4},
    "rule_sets rule_list of targets": {"method": "rule_list", "n_restarts": 1, "labels": "target"},
    "rule_sets fab": {"method": "fab", "n_restarts": 3, "max_rules": 5, "start": "in_turn"},
    "rule_sets em": {"method": "em", "n_restarts": 2, "max_rules": 4, "boxes": "shortened"},
}
_BLOCK_OF_RULES = 60  # rows, wherever they lie: sums of floats are over blocks


_HELD = 100  # rows that a job holds, where it is to hold fewer than there are
_OF_MANY_ROWS: dict[str, dict[str, Any]] = {
    "approximation_trees sta of many rows": {"method": "sta", **_QUICK_TREE},
    "approximation_trees born again of many rows": {"method": "born_again", **_QUICK_TREE},
    "approximation_trees cart of many rows": {"method": "cart", **_QUICK_TREE},
    "approximation_trees cart on many rows": {"method": "cart", "fitted_on": "dataset", "max_depth": 4},
    "approximation_trees ism of drawn and many rows": {"method": "ism", "fitted_on": "generator", **_QUICK_TREE},
    "approximation_trees ism on many rows": {"method": "ism", "fitted_on": "dataset", "max_depth": 4},
    "approximation_trees ism on many rows, pure": {
        "method": "ism", "fitted_on": "dataset", "stop_when_pure": True, "criterion": "gain_ratio",
    },
}  # fmt: skip
_OTHERS |= _OF_MANY_ROWS


def made(context: JobContext, kind: str) -> dict[str, bytes]:
    """Return everything that a job keeps."""
    context.workspace.mkdir()
    produced: Produced = load_job_kinds()[kind](context)
    files = {name: PreparedFile.of(file).path.read_bytes() for name, file in produced.files.items()}
    return {"result": produced.result or b"", "arrays": produced.arrays or b"", **files}


def requested(workshop: Workshop, case: RealCase, folder: Path, name: str, **changes: object) -> JobContext:
    """Return the context of a job that makes what has this name above."""
    request = {"model": case.model, "dataset": case.dataset, **(_BY_PROXIMITY | _OTHERS | _RULES)[name], **changes}
    if name in _BY_PROXIMITY:
        request.setdefault("proximity_kind", case.real.kind)
    if name.startswith("prototype_sets"):
        request["nearest_rows"] = {"proximity_kind": case.real.kind}  # "auto" is none to a job
    if request.get("selected_on") or request.get("n_prototypes") == "validate" or name in _RULES:
        request["evaluation_dataset"] = case.evaluation_dataset
    if name.startswith("explanation_sets"):
        del request["model"]
        request["explainer"] = explainer_of(workshop, case, has_all_parts="detail" in request)
    context = replace(job_context(workshop, folder), request=request)
    return replace(context, rng=np.random.default_rng(0))


def explainer_of(workshop: Workshop, case: RealCase, *, has_all_parts: bool) -> str:
    about = {"model": case.model, "dataset": case.dataset}
    prototypes = workshop.make(**about, n_prototypes=_N_PROTOTYPES, proximity_kind=case.real.kind)
    parts: dict[str, object] = {"prototype_set": prototypes.id}
    if has_all_parts:
        parts["rule_set"] = workshop.find_rules(**about, method="decision_tree").id
        parts["approximation_tree"] = workshop.grow_tree(**about, method="ism", max_depth=3).id
    return workshop.register_explainer(model=case.model, **parts)


def _marked(quick: list[tuple[Any, ...]], every: list[tuple[Any, ...]]) -> list[Any]:
    return [*quick, *(pytest.param(*case, marks=pytest.mark.long) for case in every if case not in quick)]


_QUICK_HERE: list[tuple[Any, ...]] = [
    ("explanation_sets", 5),
    ("approximation_trees sta", 5),
    ("approximation_trees sta of many rows", 5),
    ("approximation_trees ism on many rows", 2),
]
_ALL_HERE: list[tuple[Any, ...]] = [(name, n_partitions) for name in _OTHERS for n_partitions in _BLOCKS]


def hold_few_rows(monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    """Have a job of many rows hold fewer than it has: the real numbers would take a minute a case."""
    if name in _OF_MANY_ROWS:
        monkeypatch.setattr(approximation_tree_growth, "MAX_ROWS_HELD", _HELD)
    if name in _RULES:
        monkeypatch.setattr(rule_set_rows, "BLOCK_ROWS", _BLOCK_OF_RULES)


@pytest.mark.parametrize(("name", "n_partitions"), _marked(_QUICK_HERE, _ALL_HERE))
def test_the_same_bytes_in_partitions_of_one_process(  # noqa: PLR0917  # a case
    workshop: Workshop, cluster_dir: Path, monkeypatch: pytest.MonkeyPatch,
    real_case: FindCase, tmp_path: Path, name: str, n_partitions: int,
) -> None:  # fmt: skip
    monkeypatch.setenv("LEAFSPACE_DATA_DIR", str(cluster_dir))  # as for a node
    hold_few_rows(monkeypatch, name)
    case, noun = real_case("titanic", "random_forest"), name.split(maxsplit=1)[0]
    there = requested(workshop, case, tmp_path / "there", name)

    made_there = made(replace(there, cluster=PartitionsHere(n_partitions)), noun)  # type: ignore[arg-type]  # for it

    assert made_there == made(requested(workshop, case, tmp_path / "here", name), noun)


_QUICK_RULES: list[tuple[Any, ...]] = [
    ("rule_sets fab", "titanic", 5), ("rule_sets em", "titanic", 2),
]  # fmt: skip
_ALL_RULES: list[tuple[Any, ...]] = [
    (name, dataset, n_partitions)
    for name in _RULES
    for dataset in ("titanic", "california_housing")
    for n_partitions in _BLOCKS
]


@pytest.mark.parametrize(("name", "dataset", "n_partitions"), _marked(_QUICK_RULES, _ALL_RULES))
def test_rules_of_rows_in_partitions_have_the_same_bytes(  # noqa: PLR0917  # a case
    workshop: Workshop, cluster_dir: Path, monkeypatch: pytest.MonkeyPatch,
    real_case: FindCase, tmp_path: Path, name: str, dataset: str, n_partitions: int,
) -> None:  # fmt: skip
    monkeypatch.setenv("LEAFSPACE_DATA_DIR", str(cluster_dir))  # as for a node
    hold_few_rows(monkeypatch, name)
    case, spread = real_case(dataset, "random_forest"), Spread(n_partitions)
    there = requested(workshop, case, tmp_path / "there", name)

    made_there = made(replace(there, cluster=spread), "rule_sets")  # type: ignore[arg-type]  # for it

    assert n_partitions in spread.n_parts
    assert made_there == made(requested(workshop, case, tmp_path / "here", name), "rule_sets")


@pytest.mark.parametrize(
    "name",
    ["prototype_sets sm_u", "rule_sets em", "approximation_trees cart of many rows", "explanation_sets of all"],
)
def test_what_is_made_of_outcomes_has_the_same_bytes_in_partitions(  # a case
    workshop: Workshop, cluster_dir: Path, monkeypatch: pytest.MonkeyPatch,
    real_case: FindCase, tmp_path: Path, name: str,
) -> None:  # fmt: skip
    monkeypatch.setenv("LEAFSPACE_DATA_DIR", str(cluster_dir))  # as for a node
    hold_few_rows(monkeypatch, name)
    case, noun = _deciding(workshop, real_case("titanic", "random_forest")), name.split(maxsplit=1)[0]
    there = requested(workshop, case, tmp_path / "there", name)

    made_there = made(replace(there, cluster=PartitionsHere(2)), noun)  # type: ignore[arg-type]  # for it

    assert made_there == made(requested(workshop, case, tmp_path / "here", name), noun)
    assert b"give a boat" in made_there["result"]
    assert b"leave aboard" in made_there["result"]


def _deciding(workshop: Workshop, case: RealCase) -> RealCase:
    """Return the case with a decision of its model."""
    bands = [{"outcome": "leave aboard", "below": 0.5}, {"outcome": "give a boat"}]
    model = workshop.register_model(
        onnx_of(case.real.estimator, case.real.features),
        feature_names=list(case.opened.description.feature_names),
        ensemble="random_forest",
        decision={"score_of": case.opened.view.classes[1], "bands": bands},
    )
    return replace(case, model=model)


def test_a_target_that_the_model_does_not_know_is_refused_by_its_row_wherever_rows_lie(
    workshop: Workshop, cluster_dir: Path, monkeypatch: pytest.MonkeyPatch, real_case: FindCase, tmp_path: Path
) -> None:
    monkeypatch.setenv("LEAFSPACE_DATA_DIR", str(cluster_dir))  # as for a node
    monkeypatch.setattr(rule_set_rows, "BLOCK_ROWS", _BLOCK_OF_RULES)
    case = real_case("titanic", "random_forest")
    names = list(case.opened.description.feature_names)
    frame = pd.DataFrame(case.real.features[:200], columns=names).assign(t=case.real.target[:200])
    frame.loc[170, "t"] = 7
    dataset = workshop.register_dataset(frame, target="t")
    refusals: list[tuple[str, str]] = []

    for spread in (PartitionsHere(3), None):
        context = requested(workshop, case, tmp_path / str(len(refusals)), "rule_sets fab", dataset=dataset)
        with pytest.raises(StorageError) as refused:
            made(replace(context, cluster=spread), "rule_sets")  # type: ignore[arg-type]  # for it
        refusals.append((refused.value.code, refused.value.detail))

    assert refusals[0] == refusals[1]
    assert f"row 170 of dataset {dataset!r} has the target 7.0" in refusals[0][1]


class Spread(PartitionsHere):
    """Partitions of this process, which notes how many there were."""

    def __init__(self, n_partitions: int) -> None:
        super().__init__(n_partitions)
        object.__setattr__(self, "n_parts", set())

    n_parts: set[int]

    def spread(self, values: Sequence[tuple[Any, ...]]) -> LocalPartitions:
        self.n_parts.add(len(values))
        return super().spread(values)


_ALL: list[tuple[Any, ...]] = [
    (name, dataset, kind, n_partitions)
    for name in _BY_PROXIMITY
    for dataset in ("titanic", "california_housing")
    for kind in ("random_forest", "boosting")
    for n_partitions in _BLOCKS
    if not (dataset == "california_housing" and (name.endswith(" sg") or name.startswith("label_audits")))
] + [
    *((name, "titanic", "boosting", n_partitions) for name in (*_OTHERS, *_RULES) for n_partitions in (2, 5)),
    *((name, "california_housing", "random_forest", 2) for name in _OF_MANY_ROWS if not name.endswith("pure")),
    *((name, "titanic", "random_forest", n_partitions) for name in _OF_MANY_ROWS for n_partitions in (1, 2)),
]


@pytest.mark.long  # starting a cluster takes six seconds of a processor; .ci/run runs one case
@pytest.mark.parametrize(("name", "dataset", "kind", "n_partitions"), _ALL)
def test_the_same_bytes_on_a_cluster(  # noqa: PLR0917  # a case
    workshop: Workshop, cluster: SmallCluster, monkeypatch: pytest.MonkeyPatch,
    real_case: FindCase, tmp_path: Path, name: str, dataset: str, kind: str, n_partitions: int,
) -> None:  # fmt: skip
    from workers.cluster.connection import open_cluster  # it brings Dask

    hold_few_rows(monkeypatch, name)
    case, noun = real_case(dataset, kind), name.split(maxsplit=1)[0]
    settings = ClusterSettings(cluster.address, None, _BLOCKS[n_partitions], PATIENCE_SECONDS)
    with open_cluster(settings, no_tick) as opened:
        context = requested(workshop, case, tmp_path / "there", name)
        there = made(replace(context, cluster=replace(opened, n_threads=n_partitions)), noun)

    assert there == made(requested(workshop, case, tmp_path / "here", name), noun)
