"""The smallest changes beside all values and all pairs of values that the columns can hold."""

import functools
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from skl2onnx import to_onnx
from skl2onnx.common.data_types import FloatTensorType, StringTensorType
from sklearn.compose import ColumnTransformer
from sklearn.ensemble import RandomForestClassifier
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import OneHotEncoder

from tests.support.models import fitted
from tests.support.naive_changes import NaiveSearch
from tests.support.pipelines import fitted_pipeline
from tests.tree_explainers.changes.test_curves import curve_model
from tree_explainers.changes.feature_moves import Constraint
from tree_explainers.changes.smallest_changes import ChangeSearch, SearchLimits
from tree_explainers.changes.wishes import BandWish, ClassWish
from tree_explainers.errors import InvalidInput
from tree_explainers.onnx_models.description import DeclaredModel, ModelLimits
from tree_explainers.onnx_models.reading import read_model
from tree_explainers.onnx_models.session import ModelSession
from tree_explainers.rows import Rows

ALL = SearchLimits(n_options=1_000)
ROWS = [3, 40, 77, 101, 150, 151]


@functools.cache
def whole_model() -> tuple[ChangeSearch, Rows, ModelSession]:
    """A forest on whole numbers and a category, whose rule takes two features."""
    rng = np.random.default_rng(0)
    numbers = rng.integers(0, [12, 30, 9], size=(200, 3)).astype(np.float32)
    colours = rng.choice(np.array(["blue", "green", "red"], dtype=object), 200)
    score = 1.0 * (numbers[:, 0] > 5) + (numbers[:, 1] > 14) + (colours == "red") + rng.normal(0, 0.4, 200)
    steps = ColumnTransformer([("text", OneHotEncoder(handle_unknown="ignore"), [3])], remainder="passthrough")
    table = np.column_stack([numbers.astype(object), colours])
    trees = RandomForestClassifier(15, max_depth=5, random_state=0)
    pipeline = _fitted(make_pipeline(steps, trees), table, score > 1.6)
    rows = Rows(("a", "b", "c", "colour"), (*numbers.T.astype(np.float64), colours))
    read = read_model(pipeline, DeclaredModel(feature_names=rows.names), ModelLimits())
    session = ModelSession(read.leaf_graph, read.description)
    return ChangeSearch(curve_model(read, session, rows), rows), rows, session


def _fitted(pipeline: Pipeline, table: Any, target: Any) -> bytes:
    import pandas as pd

    frame = pd.DataFrame({"a": table[:, 0], "b": table[:, 1], "c": table[:, 2], "colour": table[:, 3]})
    frame = frame.astype({"a": np.float32, "b": np.float32, "c": np.float32})
    pipeline.fit(frame, target)
    types: list[Any] = [(name, FloatTensorType([None, 1])) for name in "abc"]
    types.append(("colour", StringTensorType([None, 1])))
    options = {id(pipeline[-1]): {"zipmap": False}}
    return bytes(to_onnx(pipeline, initial_types=types, options=options).SerializeToString())


CONSTRAINTS: list[dict[str, Constraint]] = [
    {"a": "only_up", "b": "only_down"},
    {"a": "only_down", "b": "only_up", "colour": "fixed"},
    {"c": "only_up", "a": "fixed"},
]


FREE: list[tuple[int, dict[str, Constraint]]] = [(row, {}) for row in ROWS]


@pytest.mark.parametrize(("row", "constraints"), [*FREE, *zip(ROWS, 2 * CONSTRAINTS, strict=True)])
@pytest.mark.parametrize("band", [(1, 0.5, np.inf), (1, 0.35, 0.5), (0, 0.93, np.inf)])
@pytest.mark.sampled("thirds")
def test_no_change_is_smaller_than_those_of_all_values_and_all_pairs(
    row: int, band: tuple[int, float, float], constraints: dict[str, Constraint]
) -> None:
    search, rows, session = whole_model()
    twin = NaiveSearch(session, rows, row, band, constraints)
    if twin.holds([{}])[0]:
        with pytest.raises(InvalidInput, match="already"):
            search.find(twin.row, BandWish(*band))
        return

    changes = search.find(twin.row, BandWish(*band), constraints, limits=ALL)

    singles = {(part.feature, _side(part)): part.size for (part,) in _of(changes, 1)}
    pairs = {tuple(part.feature for part in parts): sum(part.size for part in parts) for parts in _of(changes, 2)}
    expected = twin.singles()
    assert singles == pytest.approx(expected, abs=2e-4)
    expected_pairs = twin.pairs()
    assert {tuple(sorted(pair)): size for pair, size in pairs.items()} == pytest.approx(expected_pairs, abs=2e-4)
    assert changes.none_of_one == (not expected)
    assert changes.none_of_two == (not expected and not expected_pairs)
    assert changes.none_with_fewer
    for change in changes.options:
        assert twin.holds([dict(zip(rows.names, change.row, strict=True))]).all()


def _of(changes: Any, n_features: int) -> list[Any]:
    return [change.parts for change in changes.options if len(change.parts) == n_features]


def _side(part: Any) -> Any:
    return part.to if isinstance(part.to, str) else part.to > part.value


def test_options_of_one_feature_come_first_and_smaller_ones_before_larger() -> None:
    search, rows, session = whole_model()
    scores, numbers = session.predict(rows).scores[:, 1], set()
    for row in np.flatnonzero(scores < 0.5)[:30].tolist():
        changes = search.find(
            rows.take(slice(row, row + 1)), BandWish(1, 0.5, np.inf), limits=SearchLimits(n_options=2)
        )
        keys = [(len(change.parts), change.size) for change in changes.options]
        assert keys == sorted(keys)
        numbers.add(tuple(n_parts for n_parts, _ in keys))
    assert {1, 2} == {n_parts for each in numbers for n_parts in each}
    assert max(map(len, numbers)) <= 4


@pytest.mark.parametrize("constraint", ["fixed", "only_up", "only_down"])
def test_constraints_hold_in_every_option(constraint: Any) -> None:
    search, rows, _ = whole_model()
    wish, n_parts = BandWish(0 if constraint == "only_down" else 1, 0.5, 1.1), 0
    for row in range(40):
        try:
            changes = search.find(rows.take(slice(row, row + 1)), wish, {"a": constraint, "b": constraint}, ALL)
        except InvalidInput:
            continue
        for part in (part for change in changes.options for part in change.parts if part.feature in "ab"):
            n_parts += 1
            assert constraint != "fixed"
            assert (part.to > part.value) == (constraint == "only_up")  # type: ignore[operator]
    assert (n_parts > 0) == (constraint != "fixed")


@pytest.mark.parametrize(
    ("constraints", "message"),
    [
        ({"age": "fixed"}, "'age'"),
        ({"colour": "only_up"}, "'colour' has categories"),
        ({"a": "sideways"}, "'sideways'"),
    ],
)
def test_constraints_that_do_not_fit_are_refused(constraints: Any, message: str) -> None:
    search, rows, _ = whole_model()
    with pytest.raises(InvalidInput, match=message):
        search.find(rows.take(slice(0, 1)), BandWish(1, 0.0, 1.0), constraints)


def test_a_search_that_lacks_cells_proves_nothing_of_pairs() -> None:
    search, rows, _ = whole_model()
    wish, row = BandWish(1, 2.0, 3.0), rows.take(slice(0, 1))  # no score is so high
    assert search.find(row, wish).none_of_two
    left = search.find(row, wish, limits=SearchLimits(max_cells=30))
    assert left.none_of_one
    assert not left.none_of_two
    assert left.n_pairs_left > 0
    alone = search.find(row, wish, limits=SearchLimits(max_features=1))
    assert (alone.none_of_one, alone.none_of_two, alone.n_features_searched) == (True, False, 1)
    assert alone.none_with_fewer


def test_features_that_are_mixed_are_named_and_forbid_the_proof_unless_they_are_fixed() -> None:
    model = fitted_pipeline("principal_components")
    search = ChangeSearch(curve_model(model.read, model.session, model.rows), model.rows)
    wish, row = BandWish(0, 1e6, np.inf), model.rows.take(slice(0, 1))
    changes = search.find(row, wish)
    assert (changes.none_of_one, changes.not_searched) == (False, ("age", "fare"))
    assert search.find(row, wish, {"age": "fixed", "fare": "fixed"}).none_of_one


@pytest.mark.parametrize("name", ["random_forest_multiclass", "lightgbm_binary", "catboost_binary", "bagging_binary"])
def test_the_model_itself_predicts_the_class_that_each_option_promises(name: str) -> None:
    model = fitted(name)
    search = ChangeSearch(curve_model(model.read, model.session, model.rows), model.rows)
    labels = model.session.predict(model.rows).labels
    assert labels is not None
    n_options = 0
    limits = SearchLimits(max_features=1 if name.startswith(("catboost", "bagging")) else 2, max_cells=100_000)
    for row in range(0, 130, 13 if limits.max_features == 1 else 43):
        wished = int((labels[row] + 1) % len(model.read.description.classes))
        changes = search.find(model.rows.take(slice(row, row + 1)), ClassWish(wished), limits=limits)
        n_options += len(changes.options)
        for change in changes.options:
            columns = tuple(np.array([value], np.float64) for value in change.row)
            predicted = model.session.predict(Rows(model.rows.names, columns)).labels
            assert predicted is not None
            assert predicted[0] == wished == change.label
            for part in change.parts:
                column = model.rows.columns[model.rows.names.index(part.feature)]
                assert column.min() <= part.to <= column.max()
    assert n_options > 0


@functools.cache
def stubborn_model() -> tuple[ChangeSearch, Rows, ModelSession]:
    """A forest whose rule takes four of six features, so that no change of two is enough for most rows."""
    rng = np.random.default_rng(1)
    numbers = rng.integers(0, 9, size=(300, 6)).astype(np.float32)
    target = (numbers[:, :4] > 3).sum(axis=1) > 3
    trees = RandomForestClassifier(20, max_depth=6, random_state=0).fit(numbers, target)
    onnx = bytes(to_onnx(trees, numbers[:1], options={"zipmap": False}).SerializeToString())
    rows = Rows(tuple("abcdef"), tuple(numbers.T.astype(np.float64)))
    read = read_model(onnx, DeclaredModel(feature_names=rows.names), ModelLimits())
    session = ModelSession(read.leaf_graph, read.description)
    return ChangeSearch(curve_model(read, session, rows), rows), rows, session


def test_where_two_features_do_not_suffice_a_real_row_lends_no_more_values_than_it_takes() -> None:
    search, rows, session = stubborn_model()
    table: NDArray[np.float64] = np.column_stack(rows.columns)
    labels = session.predict(rows).labels
    assert labels is not None
    numbers = set()
    for row in np.flatnonzero(labels == 0)[:40].tolist():
        changes = search.find(rows.take(slice(row, row + 1)), ClassWish(1), limits=SearchLimits(max_features=6))
        assert changes.options, "each row can have all values of a row of the class"
        numbers.add(n_parts := len(changes.options[0].parts))
        if n_parts <= 2:
            continue
        assert len(changes.options) == 1
        assert changes.none_of_two
        assert changes.none_with_fewer == (n_parts == 3)
        (change,) = changes.options
        lent = {rows.names.index(part.feature): float(part.to or 0) for part in change.parts}
        others = (labels == 1) & (table[:, list(lent)] == list(lent.values())).all(axis=1)
        assert others.any(), "the values are those of one row of the class"
        fewer = [{**dict(enumerate(table[row])), **lent, left: table[row, left]} for left in lent]
        columns = tuple(np.array([each[at] for each in fewer]) for at in range(6))
        predicted = session.predict(Rows(rows.names, columns)).labels
        assert predicted is not None
        assert not predicted.any(), "each of them is needed"
    assert numbers >= {3, 4}


def test_real_rows_lend_nothing_that_constraints_forbid_and_no_more_values_than_are_wished() -> None:
    search, rows, session = stubborn_model()
    scores = session.predict(rows).scores[:, 1]
    row = int(np.argmin(scores + 10 * (rows.columns[0] > 6)))
    alone = rows.take(slice(row, row + 1))
    (free,) = search.find(alone, ClassWish(1), limits=SearchLimits(max_features=6)).options
    n_parts = len(free.parts)
    assert n_parts > 2
    assert not search.find(alone, ClassWish(1), limits=SearchLimits(max_features=2)).options
    fixed = free.parts[0].feature
    for option in search.find(alone, ClassWish(1), {fixed: "fixed"}, SearchLimits(max_features=6)).options:
        assert fixed not in {part.feature for part in option.parts}
    shrinking: dict[str, Constraint] = dict.fromkeys(rows.names, "only_down")
    for option in search.find(alone, ClassWish(1), shrinking, SearchLimits(max_features=6)).options:
        assert all(_side(part) is False for part in option.parts)
    everything: dict[str, Constraint] = dict.fromkeys(rows.names, "fixed")
    assert not search.find(alone, ClassWish(1), everything, SearchLimits(max_features=6)).options


@pytest.mark.parametrize("name", ["scaled_and_one_hot", "missing_kept", "native_lightgbm", "native_catboost"])
@pytest.mark.sampled("thirds")
def test_values_of_real_rows_are_categories_and_missing_values_too(name: str) -> None:
    model = fitted_pipeline(name)
    search = ChangeSearch(curve_model(model.read, model.session, model.rows), model.rows)
    scores = model.session.predict(model.rows).scores[:, 0]
    wish = BandWish(0, -np.inf, float(np.quantile(scores, 0.03)))
    table = list(zip(*(column.tolist() for column in model.rows.columns), strict=True))
    n_changes = 0
    for row in np.argsort(-scores)[:12].tolist():
        limits = SearchLimits(max_features=20, max_cells=1_000, max_pairs=1)
        changes = search.find(model.rows.take(slice(row, row + 1)), wish, limits=limits)
        for change in (each for each in changes.options if len(each.parts) > 2):
            n_changes += 1
            moved = {at: raw for part in change.parts for at, raw in part.raw_values.items()}
            assert all(part.to != part.value for part in change.parts)
            assert any(all(_is_same(cells[at], raw) for at, raw in moved.items()) for cells in table)
            assert not changes.none_with_fewer or changes.none_of_two
    assert n_changes > 0


def _is_same(cell: Any, raw: Any) -> bool:
    is_missing = [value is None or value != value for value in (cell, raw)]
    return all(is_missing) or cell == raw
