"""The nearest of all reference rows in explanations, of real models of several kinds on real data."""

import functools
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Protocol

import orjson
import pandas as pd
import pytest

from explanations import reference_file
from explanations.explained_rows import explain_instances
from explanations.reference_file import ReferenceFile
from explanations.warm_explainer import WarmExplainer, warm_up
from schemas.explanations import ExplanationRequest
from schemas.proximities import PROXIMITIES
from storage.errors import StorageError
from tests.support.api import frame_of
from tests.support.models import fitted
from tests.support.pipelines import PIPELINES, fitted_pipeline
from tests.support.workshop import Workshop, result_of, workshop_in

_KINDS = {
    "random_forest_binary": "random_forest",
    "lightgbm_multiclass": "boosting",
    "random_forest_regression": "random_forest",
}
_OF_ROWS = {
    "random_forest": "random_forest",
    "boosting": "boosting_sd",
}  # kinds of proximity unless requested otherwise
CASES = pytest.mark.parametrize(
    ("name", "min_leaf_rows"),
    [("random_forest_binary", 1), ("lightgbm_multiclass", 8), ("random_forest_regression", 3), ("missing_kept", 2)],
)


@dataclass(frozen=True)
class Case:
    """An explainer of a model, whose reference rows have ids, groups, missing values and categories."""

    warm: WarmExplainer
    frame: pd.DataFrame
    neighbors: pd.DataFrame  # of the reference rows, by the job
    mapped_bytes: int

    @property
    def instances(self) -> list[list[Any]]:
        rows = self.frame[list(self.warm.features.names)].astype(object)
        return rows.where(rows.notna(), None).to_numpy().tolist()

    def explain(self, row: int, **options: object) -> dict[str, Any]:
        request = {"instances": [self.instances[row]], "include": ["nearest_rows", "intervals", "values"]} | options
        (found,) = explain_instances(self.warm, ExplanationRequest.model_validate(request))
        plain: dict[str, Any] = orjson.loads(orjson.dumps(found))
        return plain

    def rows(self, row: int, **wanted: object) -> list[dict[str, Any]]:
        found: list[dict[str, Any]] = self.explain(row, nearest_rows=wanted)["nearest_rows"]
        return found


class FindCase(Protocol):
    def __call__(self, name: str, min_leaf_rows: int, nearest_rows: str = "as prototypes") -> Case: ...


@pytest.fixture(scope="module")
def find(tmp_path_factory: pytest.TempPathFactory) -> Iterator[FindCase]:
    with workshop_in(tmp_path_factory.mktemp("rows")) as workshop:
        yield functools.cache(functools.partial(_case, workshop))


def _case(workshop: Workshop, name: str, min_leaf_rows: int, nearest_rows: str = "as prototypes") -> Case:
    if name in PIPELINES:
        table = PIPELINES[name]()[1]
        onnx, frame = fitted_pipeline(name).onnx, table.features.assign(t=table.target)
    else:
        onnx, frame = fitted(name).onnx, frame_of(fitted(name))
    names = [column for column in frame.columns if column != "t"]
    frame = frame.head(300).reset_index(drop=True)
    frame.insert(0, "id", [f'é "{7 * row % 300}"' for row in range(len(frame))])
    frame["household"] = [None if row % 11 == 0 else f"h{row // 4}" for row in range(len(frame))]
    model = workshop.register_model(onnx, feature_names=names, ensemble=_KINDS.get(name, "random_forest"))
    dataset = workshop.register_dataset(frame, target="t", row_id="id")
    same = {"model": model, "dataset": dataset}
    searched: dict[str, Any] = {"min_leaf_rows": min_leaf_rows, "proximity_kind": _KINDS.get(name, "random_forest")}
    by_default = {"min_leaf_rows": 1, "proximity_kind": _OF_ROWS[searched["proximity_kind"]]}
    requested = {"nearest_rows": searched} if nearest_rows == "as prototypes" else {}
    made = workshop.make(**same, min_leaf_rows=min_leaf_rows, n_prototypes=12, **requested)
    neighbors = workshop.find_neighbors(**same, **(searched if requested else by_default), n_neighbors=6)
    explainer = workshop.register_explainer(model=model, prototype_set=made.id)
    context = workshop.context
    warm = warm_up(explainer, context.database, context.objects, context.sessions.get)
    kept = result_of(made).nearest_rows
    assert kept is not None
    used = searched if requested else by_default
    assert (kept.n_rows, kept.min_leaf_rows, kept.proximity_kind) == (len(frame), *used.values())
    table = workshop.table_of(PROXIMITIES, neighbors).to_pandas()
    return Case(warm, frame, table, kept.mapped_bytes)


@CASES
@pytest.mark.parametrize("nearest_rows", ["as prototypes", "by default"])
@pytest.mark.sampled("thirds")
def test_rows_of_the_dataset_find_themselves_and_then_the_neighbours_of_the_job(
    find: FindCase, name: str, min_leaf_rows: int, nearest_rows: str
) -> None:
    case = find(name, min_leaf_rows, nearest_rows)
    for row in (0, 57, len(case.frame) - 1):
        others = [row_id for other, row_id in enumerate(case.frame["id"]) if other != row]
        found = case.rows(row, n_rows=6, row_ids=others)
        expected = case.neighbors[case.neighbors["row"] == row]
        assert [near["row_id"] for near in found] == expected["neighbor_row_id"].tolist()
        assert [near["proximity"] for near in found] == pytest.approx(expected["proximity"].tolist(), rel=1e-15)
        itself = case.rows(row, n_rows=100)
        assert itself[0]["proximity"] == 1
        assert case.frame["id"][row] in [near["row_id"] for near in itself if near["proximity"] == 1]


@CASES
def test_a_row_that_is_a_prototype_has_the_reasons_that_the_prototype_has(
    find: FindCase, name: str, min_leaf_rows: int
) -> None:
    case, n_compared = find(name, min_leaf_rows), 0
    prototypes = [prototype.row_id for prototype in case.warm.prototypes]
    for row in range(0, len(case.frame), 23):
        found = case.explain(row, nearest_rows={"row_ids": prototypes, "n_rows": 12}, n_prototypes=12, n_reasons="all")
        near = {prototype["row_id"]: prototype for prototype in found["nearest_prototypes"]}
        assert {row["row_id"] for row in found["nearest_rows"]} == set(near)
        for nearest in found["nearest_rows"]:
            prototype = near[nearest["row_id"]]
            assert nearest["proximity"] == prototype["proximity"]
            assert nearest["reasons"] == prototype["reasons"]
            assert nearest.get("label") == prototype.get("label")
            assert nearest.get("value") == prototype.get("value")
            n_compared += len(nearest["reasons"])
    assert n_compared > 50


def test_prototypes_contrast_alike_in_whatever_leaves_rows_are_searched(find: FindCase) -> None:
    cases = [find("lightgbm_multiclass", 8, nearest_rows) for nearest_rows in ("as prototypes", "by default")]
    for row in range(0, len(cases[0].frame), 30):
        parts = [case.explain(row, include=["contrast", "nearest_rows"]) for case in cases]
        assert parts[0]["contrasts"] == parts[1]["contrasts"]
        assert parts[0]["contrasts"][0]["differences"]
        assert parts[0]["nearest_prototypes"] == parts[1]["nearest_prototypes"]
        assert parts[0]["nearest_rows"] != parts[1]["nearest_rows"]


@CASES
def test_values_and_targets_are_those_of_the_dataset(find: FindCase, name: str, min_leaf_rows: int) -> None:
    case = find(name, min_leaf_rows)
    places = {row_id: row for row, row_id in enumerate(case.frame["id"])}
    found = case.explain(5, nearest_rows={"n_rows": 8})
    rows = [places[near["row_id"]] for near in found["nearest_rows"]]
    assert len(rows) == 8
    for feature, entry in enumerate(found["values"]):
        assert entry["row_values"] == [case.instances[row][feature] for row in rows]
    for near, row in zip(found["nearest_rows"], rows, strict=True):
        target = case.frame["t"][row]
        assert near["target"] == (str(target) if "label" in near else target)


def test_classes_groups_and_ids_restrict_rows_from_near_to_far(find: FindCase) -> None:
    case = find("lightgbm_multiclass", 8)
    everything = case.rows(20, n_rows=100)
    households = dict(zip(case.frame["id"], case.frame["household"].fillna("none"), strict=True))
    label = everything[-1]["label"]

    of_class = [row for row in everything if row["label"] == label]
    assert case.rows(20, n_rows=4, classes=[label]) == of_class[:4]
    groups = {row["row_id"]: row["label"] for row in everything}
    for wanted, group_of in (({"group_by": "household"}, households), ({}, groups)):
        taken: list[dict[str, Any]] = []
        for row in everything:
            n_own = sum(group_of[row["row_id"]] == group_of[other["row_id"]] for other in taken)
            if n_own < 2 and len(taken) < 5:
                taken.append(row)
        assert case.rows(20, n_rows=5, max_per_group=2, **wanted) == taken


@pytest.mark.parametrize(
    ("wanted", "pointer", "problem"),
    [
        ({"classes": ["setosa"]}, "classes", "'setosa' is no class of the model"),
        ({"row_ids": ["a row"]}, "row_ids/0", "'a row'"),
        ({"group_by": "household"}, "group_by", "max_per_group"),
        ({"group_by": "family", "max_per_group": 1}, "group_by", "no column 'family'"),
    ],
)
def test_what_cannot_be_searched_is_refused(
    find: FindCase, wanted: dict[str, object], pointer: str, problem: str
) -> None:
    with pytest.raises(StorageError, match=problem) as refusal:
        find("random_forest_binary", 1).rows(0, **wanted)
    assert refusal.value.pointer == f"/nearest_rows/{pointer}"


def test_options_without_the_part_and_classes_of_a_regression_are_refused(find: FindCase) -> None:
    with pytest.raises(StorageError, match="include"):
        find("random_forest_binary", 1).explain(0, include=[], nearest_rows={"n_rows": 1})
    for wanted in ({"classes": ["1"]}, {"max_per_group": 1}):
        with pytest.raises(StorageError, match="regression"):
            find("random_forest_regression", 3).rows(0, **wanted)


def test_the_file_is_opened_once_it_is_needed_and_rows_are_found_by_their_ids(find: FindCase) -> None:
    case = find("missing_kept", 2)
    assert case.warm.reference is not None
    file = case.warm.reference.open()

    assert isinstance(file, ReferenceFile)
    assert [file.row(row_id) for row_id in case.frame["id"]] == list(range(len(case.frame)))
    assert [file.row(text) for text in ("", "0", 'é "300"', "é")] == [None] * 4
    assert case.mapped_bytes > len(case.frame) * 8 * len(case.warm.features.names)


def test_rows_without_ids_are_known_by_their_numbers_and_too_many_are_not_kept(
    tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    model = fitted("random_forest_binary")
    frame = frame_of(model).head(60)
    with workshop_in(tmp_path_factory.mktemp("few")) as workshop:
        same = {
            "model": workshop.register_model(model.onnx, feature_names=[f"f{n}" for n in range(30)]),
            "dataset": workshop.register_dataset(frame, target="t"),
            "proximity_kind": "random_forest",
        }
        context, found = workshop.context, []
        for n_prototypes, largest in ((3, 60 * 50), (4, 60 * 50 - 1)):
            monkeypatch.setattr(reference_file, "MAX_CELLS", largest)
            prototypes = workshop.make(**same, n_prototypes=n_prototypes)
            explainer = workshop.register_explainer(model=same["model"], prototype_set=prototypes.id)
            found.append(warm_up(explainer, context.database, context.objects, context.sessions.get))
        case = Case(found[0], frame, pd.DataFrame(), 0)

        assert found[1].reference is None
        with pytest.raises(StorageError, match="250,000,000 rows x"):
            explain_instances(found[1], ExplanationRequest(instances=[case.instances[0]], include=["nearest_rows"]))
        assert case.rows(9, n_rows=1, row_ids=["9", "10"])[0]["row_id"] == "9"
        for unknown in ("60", "-1", "09", "²", "9" * 50):
            with pytest.raises(StorageError, match="no row"):
                case.rows(0, row_ids=[unknown])
