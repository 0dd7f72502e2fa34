"""The nearest-prototype classifier in Python, SQL and ONNX predicts what the service does, ties included."""

import functools
from contextlib import closing
from typing import Any

import duckdb
import numpy as np
import onnxruntime
import pyarrow as pa
import pytest
from numpy.typing import NDArray

from schemas.prototype_classifiers import ClassifierPrototype, PrototypeClassifier
from service.exports import write_classifier
from storage.errors import StorageError
from tests.support import naive
from tests.support.models import FittedModel, fitted, undecided_forest
from tests.support.pipelines import FittedPipeline, fitted_pipeline
from tests.support.printed_rules import run_python, run_sql
from tests.support.printed_trees import plain_rows
from tests.support.trees_of_conditions import with_holes
from tree_explainers.errors import MethodNotApplicable
from tree_explainers.leaf_space.coarser_leaves import coarser_leaves
from tree_explainers.leaf_space.leaves import LeafTable, ProximityKind
from tree_explainers.onnx_models.description import column_types
from tree_explainers.onnx_models.prototype_graph import prototype_graph
from tree_explainers.prototype_sets.classifier_trees import classifier_trees
from tree_explainers.rows import Rows
from workers.jobs.prototype_set_files import describe_classifier

_N_ROWS, _N_PROTOTYPES = 120, 7


class Known:
    """A model, prototypes among its rows, and what the nearest of them has for any rows."""

    def __init__(self, model: FittedModel | FittedPipeline, min_leaf_rows: int) -> None:
        self.read, self.session, self.rows = model.read, model.session, model.rows
        ensemble, leaves = self.read.ensemble, self._leaves(model.rows)
        table = LeafTable.from_leaves(leaves, ensemble.n_leaves)
        self.coarser = coarser_leaves(ensemble, table, min_leaf_rows)
        kind: ProximityKind = "boosting" if self.read.description.ensemble == "boosting" else "random_forest"
        self.weights = self.coarser.weights(kind, table, ensemble.leaf_values)
        chosen = np.random.default_rng(0).choice(len(leaves), _N_PROTOTYPES, replace=False)
        self.leaves = self.coarser.of(leaves)[chosen]
        outcome = self.session.run(self.session.encode(model.rows))
        classes = self.read.description.classes
        labels = None if outcome.labels is None else [classes[each] for each in outcome.labels[chosen]]
        self.given: list[Any] = outcome.scores[chosen, 0].astype(np.float64).tolist() if labels is None else labels

    def _leaves(self, rows: Rows) -> NDArray[np.int32]:
        return self.session.run(self.session.encode(rows)).leaves

    def nearest(self, rows: Rows) -> list[int | None]:
        """Return the first prototype of largest proximity for each row, by the service's own leaves."""
        both = np.concatenate([self.coarser.of(self._leaves(rows)), self.leaves])
        near = naive.proximity_matrix(both, self.weights)[: len(rows), len(rows) :]
        return [int(line.argmax()) if line.any() else None for line in near]

    def document(self) -> PrototypeClassifier:
        description, is_number = self.read.description, isinstance(self.given[0], float)
        trees = classifier_trees(self.coarser.cut(self.read.ensemble), self.leaves, self.weights, description)
        prototypes = [
            ClassifierPrototype(row_id="", label=None if is_number else each, value=each if is_number else None)
            for each in self.given
        ]
        return PrototypeClassifier.model_validate_json(describe_classifier(trees, description, set(), prototypes))

    def run_onnx(self, rows: Rows) -> list[int | None]:
        given = np.array(self.given) if isinstance(self.given[0], float) else self.given
        coarser = None if self.coarser.min_leaf_rows == 1 else (self.coarser.codes, self.coarser.offsets)
        graph = prototype_graph(self.read.leaf_graph, self.leaves, self.weights, given, coarser)
        session = onnxruntime.InferenceSession(graph, providers=["CPUExecutionProvider"])
        found, nearest, proximity = session.run(None, self.session.encode(rows))
        assert [each.name for each in session.get_outputs()][1:] == ["nearest_prototype", "proximity"]
        assert ((proximity > 0) == (nearest >= 0)).all()
        for value, own in zip(found, nearest.tolist(), strict=True):
            assert value == self.given[own] if own >= 0 else value == "" or np.isnan(value)
        return [None if each < 0 else each for each in nearest.tolist()]


@functools.cache
def _known(name: str, min_leaf_rows: int = 1) -> Known:
    if name == "undecided_forest":
        return Known(undecided_forest(), min_leaf_rows)
    is_pipeline = not name.endswith(("_binary", "_multiclass", "_regression"))
    return Known(fitted_pipeline(name) if is_pipeline else fitted(name), min_leaf_rows)


def _on_thresholds(known: Known) -> Rows:
    """Return rows whose numbers lie on thresholds, just beside them, and where single precision rounds to them."""
    rng, ensemble, columns = np.random.default_rng(1), known.read.ensemble, []
    for index, values in enumerate(known.rows.columns):
        drawn = rng.choice(values[:_N_ROWS] if values.dtype == object else values, _N_ROWS)
        own = [place for place, column in enumerate(known.read.description.columns) if column.raw_index == index]
        cuts = ensemble.threshold[np.isin(ensemble.column, own) & (ensemble.operator > 0)]
        if values.dtype != object and len(cuts):
            cuts = rng.choice(cuts, _N_ROWS)
            step = np.spacing(cuts.astype(np.float32)).astype(np.float64)
            drawn = cuts + rng.choice([0.0, 1.0, -1.0, 0.5, -0.5, 0.49999999, 0.50000001, 2.0**-29], _N_ROWS) * step
        columns.append(drawn)
    return Rows(known.rows.names, tuple(columns))


def _with_holes(known: Known, rows: Rows) -> Rows:
    """Return the rows with missing values where the model takes such: not among integers."""
    types = dict(zip(known.rows.names, column_types(known.read.description.inputs), strict=True))
    holes = with_holes(rows)
    pairs = zip(rows.names, rows.columns, holes.select(rows.names).columns, strict=True)
    return Rows(rows.names, tuple(own if types[name] == "int64" else holed for name, own, holed in pairs))


def _check(known: Known, rows: Rows) -> None:
    nearest, content, plain = known.nearest(rows), known.document(), plain_rows(rows)
    expected = [None if each is None else known.given[each] for each in nearest]
    texts = frozenset(each.name for each in content.features if each.type == "category")
    assert known.run_onnx(rows) == nearest
    assert run_python(write_classifier(content, "python"), plain) == expected
    assert run_sql(write_classifier(content, "sql"), plain, texts) == expected


@pytest.mark.parametrize(
    ("name", "min_leaf_rows"),
    [
        ("undecided_forest", 1),
        ("random_forest_multiclass", 5),
        ("extra_trees_regression", 1),
        ("xgboost_multiclass", 1),
        ("lightgbm_binary", 3),
        ("gradient_boosting_regression", 1),
        ("catboost_binary", 1),
    ],
)
@pytest.mark.sampled("thirds")
def test_every_row_gets_what_its_nearest_prototype_has(name: str, min_leaf_rows: int) -> None:
    known = _known(name, min_leaf_rows)
    first = Rows(known.rows.names, tuple(column[:_N_ROWS] for column in known.rows.columns))

    for rows in (first, _on_thresholds(known)):
        _check(known, rows)


@pytest.mark.parametrize("name", ["gradient_boosting_binary", "xgboost_multiclass", "random_forest_binary"])
def test_sums_of_weights_are_no_more_than_a_database_with_numbers_of_32_bits_adds_up(name: str) -> None:
    known = _known(name)
    content, nearest = known.document(), known.nearest(known.rows)

    with closing(duckdb.connect()) as connection:
        connection.register("rows", pa.table(dict(zip(known.rows.names, known.rows.columns, strict=True))))
        answers = connection.execute(f"SELECT {write_classifier(content, 'sql')} FROM rows").fetchall()  # noqa: S608

    assert 0 in nearest  # the prototypes are among the rows, and share all leaves with themselves
    assert [answer for (answer,) in answers] == [None if each is None else known.given[each] for each in nearest]


@pytest.mark.parametrize(
    "name",
    ["imputed_categories", "ordinal_categories", "dropped_indicators", "missing_kept", "scaled_and_one_hot"],
)
@pytest.mark.sampled("thirds")
def test_categories_and_missing_values_go_where_the_model_sends_them(name: str) -> None:
    known = _known(name, 2)
    first = Rows(known.rows.names, tuple(column[:_N_ROWS] for column in known.rows.columns))

    for rows in (first, _with_holes(known, first)):
        _check(known, rows)


def test_what_cannot_be_mapped_back_is_refused_by_name_but_for_onnx() -> None:
    known = _known("principal_components")
    first = Rows(known.rows.names, tuple(column[:_N_ROWS] for column in known.rows.columns))

    assert known.run_onnx(first) == known.nearest(first)
    with pytest.raises(MethodNotApplicable, match="ONNX only") as refused:
        known.document()
    content = PrototypeClassifier(
        task="classification", classes=[], features=[], prototypes=[], total_weight=1, tests=[], trees=[],
        refusal=refused.value.detail,
    )  # fmt: skip
    with pytest.raises(StorageError, match="ONNX only"):
        write_classifier(content, "sql")
