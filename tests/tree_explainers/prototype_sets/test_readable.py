from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
import pytest
from numpy.typing import NDArray
from skl2onnx import to_onnx
from skl2onnx.common.data_types import FloatTensorType, StringTensorType
from sklearn.compose import make_column_transformer
from sklearn.ensemble import RandomForestClassifier
from sklearn.impute import SimpleImputer
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, OrdinalEncoder, StandardScaler

from tests.support.shared import shared_path
from tree_explainers.onnx_models.description import DeclaredModel, ModelColumn, ModelLimits
from tree_explainers.onnx_models.reading import ReadModel, read_model
from tree_explainers.onnx_models.session import ModelSession
from tree_explainers.prototype_sets.feature_reasons import FeatureReason, ReferenceColumn
from tree_explainers.prototype_sets.leaf_boxes import Side, leaf_boxes
from tree_explainers.prototype_sets.readable import ReasonReader, feature_numbers
from tree_explainers.prototype_sets.reasons import REASON, Reasons
from tree_explainers.rows import Rows

NUMBERS = ("age", "fare", "sibsp")
CATEGORIES = ("sex", "embarked", "pclass")
BOTH = Side.LOW_INCLUSIVE | Side.HIGH_INCLUSIVE


@pytest.fixture(scope="module")
def titanic() -> tuple[ReadModel, Rows]:
    """Return a forest behind imputation, scaling, one-hot and ordinal encoding, and its raw rows."""
    frame = pd.read_parquet(shared_path("data/titanic.parquet"))
    features = frame[[*NUMBERS, *CATEGORIES]].astype(dict.fromkeys(NUMBERS, np.float32) | {"pclass": str})
    for name in CATEGORIES:
        features[name] = features[name].astype(object).where(features[name].notna(), "")
    pipeline = make_pipeline(
        make_column_transformer(
            (make_pipeline(SimpleImputer(strategy="median"), StandardScaler()), list(NUMBERS)),
            (
                make_pipeline(
                    SimpleImputer(missing_values="", strategy="most_frequent"), OneHotEncoder(handle_unknown="ignore")
                ),
                ["sex", "embarked"],
            ),
            (OrdinalEncoder(), ["pclass"]),
        ),
        RandomForestClassifier(30, max_depth=7, random_state=0),
    ).fit(features, frame["survived"])
    types = [(name, FloatTensorType([None, 1])) for name in NUMBERS]
    types += [(name, StringTensorType([None, 1])) for name in CATEGORIES]
    read = read_model(to_onnx(pipeline, initial_types=types).SerializeToString(), DeclaredModel(), ModelLimits())
    columns = [features[name].to_numpy(np.float64) for name in NUMBERS]
    columns += [features[name].where(features[name] != "", None).to_numpy(object) for name in CATEGORIES]
    return read, Rows((*NUMBERS, *CATEGORIES), tuple(columns))


def admits(reason: FeatureReason, value: float | str | None) -> bool:
    """Read a reason as a person would."""
    if value is None or value != value:  # NaN
        return reason["or_missing"] or reason["is_missing"]
    if reason["is_missing"] or value in reason["excluded_categories"]:
        return False
    if reason["category"] is not None:
        return value == reason["category"]
    if reason["categories"]:
        return value in reason["categories"]
    if isinstance(value, str):
        return True
    above = reason["low"] is None or value > reason["low"] or (value == reason["low"] and reason["low_inclusive"])
    below = reason["high"] is None or value < reason["high"] or (value == reason["high"] and reason["high_inclusive"])
    return above and below


def probes(reason: FeatureReason) -> NDArray[Any]:
    if reason["feature"] in CATEGORIES:
        return np.array(["male", "female", "C", "Q", "S", "1", "2", "3", None], dtype=object)
    ends = [end for end in (reason["low"], reason["high"]) if end is not None]
    near = [end + nudge * max(1, abs(end)) for end in ends for nudge in (-1e-4, 1e-4)]
    return np.array([*near, -1e6, 1e6, np.nan])


def own_probes(read: ReadModel, reason: FeatureReason) -> NDArray[Any]:
    """Return the probes that the model knows: a category that it was not shown is refused by ordinal encoding."""
    values = probes(reason)
    if reason["feature"] not in CATEGORIES:
        return values
    columns = [column for column in read.description.columns if column.feature == reason["feature"]]
    known = {category for column in columns for category in (column.category, *column.categories)} | {None}
    return np.array([value for value in values if value in known], dtype=object)


def test_behind_a_pipeline_raw_values_that_a_reason_admits_keep_all_shared_trees_in_their_leaves(
    titanic: tuple[ReadModel, Rows],
) -> None:
    read, rows = titanic
    session = ModelSession(read.leaf_graph, read.description)
    leaves = session.run_in_chunks(rows).leaves
    prototypes = np.array([1, 5, 61, 300])
    columns = read.description.columns
    reasons = Reasons.build(leaf_boxes(read.ensemble, leaves[prototypes], feature_numbers(columns)))
    reader = ReasonReader.build(columns)
    seen = set()
    for row in (0, 17, 400, 829):
        shared = leaves[prototypes] == leaves[row]
        for place, rendered in enumerate(
            reader.read(reasons.of(np.arange(4), shared, np.ones(shared.shape[1], np.uint32)), 4)
        ):
            for reason in rendered:
                values = own_probes(read, reason)
                raw = rows.take(np.full(len(values), prototypes[place]))
                changed = [
                    values if name == reason["feature"] else own
                    for name, own in zip(raw.names, raw.columns, strict=True)
                ]
                found = session.run_in_chunks(Rows(raw.names, tuple(changed))).leaves
                stays = (found[:, shared[place]] == leaves[prototypes[place], shared[place]]).all(axis=1)
                assert [admits(reason, value) for value in values] == stays.tolist(), reason
                seen.add(reason["feature"])
    assert seen == {*NUMBERS, *CATEGORIES}


def test_features_come_by_the_share_of_trees_that_test_them(titanic: tuple[ReadModel, Rows]) -> None:
    read, rows = titanic
    leaves = ModelSession(read.leaf_graph, read.description).run_in_chunks(rows).leaves
    columns = read.description.columns
    reasons = Reasons.build(leaf_boxes(read.ensemble, leaves[:1], feature_numbers(columns)))

    (rendered,) = ReasonReader.build(columns).read(
        reasons.of(np.array([0]), leaves[:1] == leaves[:1], np.ones(leaves.shape[1], np.uint32)), 1
    )

    shares = [reason["share_of_trees"] for reason in rendered]
    assert shares == sorted(shares, reverse=True)
    assert len({reason["feature"] for reason in rendered}) == len(rendered)


def reason_of(low: float, high: float, side: int = 0, column: int = 0) -> tuple[Any, ...]:
    return (0, 0, column, side, low, high, 0.5)


def read_one(columns: list[ModelColumn], *reasons: tuple[Any, ...]) -> FeatureReason:
    ((rendered,),) = ReasonReader.build(columns).read(np.array(list(reasons), dtype=REASON), 1)
    return rendered


AGE = ModelColumn("age", "identity", "age", 0)
SEX = ModelColumn("sex", "indicator", "sex", 0, category="female")
CLASS = ModelColumn("class", "ordinal", "class", 0, categories=("1", "2", "3"), codes=(0, 1, 2), default_code=-1)


def test_a_number_keeps_its_ends_and_an_end_that_no_tree_sets_is_none() -> None:
    rendered = read_one([AGE], reason_of(-np.inf, 30.5, Side.HIGH_INCLUSIVE | Side.MISSING_STAYS))

    assert rendered == FeatureReason(
        feature="age",
        text="age is at most 30.5 (missing allowed)",
        low=None,
        high=30.5,
        low_inclusive=False,
        high_inclusive=True,
        or_missing=True,
        is_missing=False,
        category=None,
        categories=(),
        excluded_categories=(),
        share_of_trees=0.5,
        transformed=False,
        exact=True,
    )


def test_a_negative_scale_turns_the_interval_round() -> None:
    rendered = read_one([replace(AGE, kind="affine", scale=-2.0, offset=1.0)], reason_of(3.0, 9.0, Side.HIGH_INCLUSIVE))

    assert (rendered["low"], rendered["high"], rendered["low_inclusive"], rendered["high_inclusive"]) == (
        -4.0,
        -1.0,
        True,
        False,
    )


@pytest.mark.parametrize(
    ("side", "low", "text"),
    [
        (Side.HIGH_INCLUSIVE, -1.0, "age is at least -1 and at most 9"),
        (Side.HIGH_INCLUSIVE | Side.MISSING_STAYS, None, "age is at most 9 (missing allowed)"),
    ],
)
def test_numbers_without_a_logarithm_are_as_missing_and_no_end_is_exact(side: Side, low: float, text: str) -> None:
    logarithm = replace(AGE, kind="monotone", functions=(("log", 1.0, 1.0, 0.0),), function="log(age + 1)")
    rendered = read_one([logarithm], reason_of(-np.inf, 9.0, side))

    assert (rendered["low"], rendered["high"], rendered["exact"]) == (low, 9.0, False)
    assert rendered["text"] == text


@pytest.mark.parametrize(("imputed", "or_missing"), [(3.0, False), (3.5, True), (9.0, True), (9.5, False)])
def test_a_missing_number_goes_where_its_imputed_value_goes(imputed: float, or_missing: bool) -> None:
    rendered = read_one([replace(AGE, imputed=imputed)], reason_of(3.0, 9.0, Side.HIGH_INCLUSIVE))

    assert rendered["or_missing"] == or_missing


def test_values_left_out_of_an_interval_are_listed() -> None:
    rendered = read_one([AGE], reason_of(0, 9), reason_of(4, 4, Side.HOLE), reason_of(5, 5, Side.HOLE))

    assert (rendered["low"], rendered["high"], rendered["excluded_categories"]) == (0, 9, (4, 5))


@pytest.mark.parametrize(
    ("low", "high", "is_category", "is_not", "or_missing"),
    [(0.5, np.inf, "female", (), False), (-np.inf, 0.5, None, ("female",), True), (-1, 2, None, (), True)],
)
def test_an_indicator_says_which_category_it_must_or_must_not_be(
    low: float,
    high: float,
    is_category: str | None,
    is_not: tuple[str, ...],
    or_missing: bool,
) -> None:
    rendered = read_one([SEX], reason_of(low, high))

    assert (rendered["category"], rendered["excluded_categories"], rendered["or_missing"]) == (
        is_category,
        is_not,
        or_missing,
    )
    assert (rendered["low"], rendered["high"]) == (None, None)


def test_an_indicator_of_missing_values_says_whether_the_value_must_be_missing() -> None:
    column = replace(SEX, category=None)

    present, absent = read_one([column], reason_of(0.5, np.inf)), read_one([column], reason_of(-np.inf, 0.5))

    assert (present["is_missing"], present["or_missing"], present["text"]) == (True, False, "sex is missing")
    assert (absent["is_missing"], absent["or_missing"], absent["text"]) == (False, False, "sex is not missing")


def test_indicators_of_one_feature_are_rendered_together() -> None:
    columns = [replace(SEX, category=value) for value in ("a", "b", "c")]

    none = read_one(columns, reason_of(-np.inf, 0.5, column=0), reason_of(-np.inf, 0.5, column=2))
    one = read_one(columns, reason_of(-np.inf, 0.5, column=0), reason_of(0.5, np.inf, column=1))

    assert none["excluded_categories"] == ("a", "c")
    assert (one["category"], one["excluded_categories"]) == ("b", ())


@pytest.mark.parametrize(
    ("low", "high", "is_category", "is_one_of", "is_not", "or_missing"),
    [
        (0.5, 1.5, "2", (), (), False),
        (0.5, np.inf, None, ("2", "3"), (), False),
        (-np.inf, 0.5, None, (), ("2", "3"), True),
        (-np.inf, -0.5, None, (), ("1", "2", "3"), True),
    ],
)
def test_codes_of_categories_are_rendered_as_categories(
    low: float,
    high: float,
    is_category: str | None,
    is_one_of: tuple[str, ...],
    is_not: tuple[str, ...],
    or_missing: bool,
) -> None:
    rendered = read_one([CLASS], reason_of(low, high))

    assert (rendered["category"], rendered["categories"]) == (is_category, is_one_of)
    assert (rendered["excluded_categories"], rendered["or_missing"]) == (is_not, or_missing)


COLOR = ModelColumn("color", "ordinal", "color", 0, categories=("F", "G", "H", "I"), codes=(0, 1, 2, 3))
SETS = (np.array([1.0, 2.0]), np.array([2.0, 3.0]), np.array([2.0, 3.5]))
_IN, _OUT = Side.HOLE | Side.SET | Side.INSIDE, Side.HOLE | Side.SET
_ANY = (-np.inf, np.inf, Side.MISSING_STAYS)


@pytest.mark.parametrize(
    ("others", "sets", "text", "allowed"),
    [
        ("refused", [(0, _IN)], "color is G or H", "GH"),
        ("refused", [(0, _IN), (1, _IN)], "color is H", "H"),
        ("refused", [(0, _IN), (1, _OUT)], "color is G", "G"),
        ("refused", [(0, _OUT)], "color is F or I", "FI?"),
        ("refused", [(0, _OUT), (1, _OUT)], "color is F", "F?"),
        ("missing", [(0, _IN)], "color is G or H (missing allowed)", "GH?"),
        ("missing", [(0, _OUT)], "color is F or I (missing allowed)", "FI?"),
    ],
)
def test_sets_of_categories_are_rendered_as_the_categories_that_remain(
    others: str, sets: list[tuple[int, Side]], text: str, allowed: str
) -> None:
    column = replace(COLOR, default_code=-1.0 if others == "refused" else None)
    reference = [ReferenceColumn(has_missing=others == "missing", categories=("F", "G", "H", "I"))]
    reader = ReasonReader.build([column], reference=reference, sets=SETS)
    reasons = [reason_of(*_ANY), *(reason_of(index, index, side) for index, side in sets)]

    ((rendered,),) = reader.read(np.array(reasons, dtype=REASON), 1)

    assert rendered["text"] == text
    assert rendered["exact"]
    assert [each for each in "FGHI?" if admits(rendered, each)] == list(allowed)


def test_a_set_of_numbers_is_listed_within_the_interval_and_is_not_exact() -> None:
    """onnxruntime takes some fractions for the whole numbers in a set, which no list says."""
    reader = ReasonReader.build([AGE], sets=SETS)

    ((inside,),) = reader.read(np.array([reason_of(-np.inf, 3, 0), reason_of(2, 2, _IN)], dtype=REASON), 1)
    ((outside,),) = reader.read(np.array([reason_of(1.5, 9, 0), reason_of(0, 0, _OUT)], dtype=REASON), 1)

    assert (inside["category"], inside["text"], inside["exact"]) == (2.0, "age is 2", False)
    assert (outside["excluded_categories"], outside["low"], outside["exact"]) == ((2.0,), 1.5, False)


def test_a_missing_value_that_is_a_category_of_its_own_can_be_the_only_one_admitted() -> None:
    column = replace(CLASS, categories=("1", None), codes=(0, 1), default_code=None)

    rendered = read_one([column], reason_of(0.5, np.inf))

    assert (rendered["is_missing"], rendered["or_missing"], rendered["category"]) == (True, False, None)


@pytest.mark.parametrize("side", [0, Side.MISSING_STAYS])
def test_a_category_without_a_code_is_admitted_where_a_missing_value_is(side: int) -> None:
    column = replace(CLASS, categories=("1", "2"), codes=(0, None), default_code=None)

    rendered = read_one([column], reason_of(-np.inf, 0.5, side))

    assert (rendered["category"], rendered["or_missing"]) == ((None, True) if side else ("1", False))


def test_several_numbers_of_one_feature_are_intersected() -> None:
    doubled = replace(AGE, kind="affine", scale=2.0)

    rendered = read_one([AGE, doubled], reason_of(3, 9, BOTH), reason_of(6, 12, Side.HIGH_INCLUSIVE, column=1))

    assert (rendered["low"], rendered["low_inclusive"], rendered["high"], rendered["high_inclusive"]) == (
        3,
        False,
        6,
        True,
    )


def test_a_column_that_is_the_same_whatever_the_value_says_nothing_of_it() -> None:
    rendered = read_one([replace(AGE, kind="affine", scale=0.0, offset=5.0)], reason_of(3, 9))

    assert (rendered["low"], rendered["high"]) == (None, None)


def test_columns_that_cannot_be_mapped_back_are_features_of_their_own() -> None:
    hidden = ModelColumn("pca_0", "transformed", None, None)
    columns = [AGE, hidden, replace(AGE, kind="affine"), replace(hidden, name="pca_1"), SEX]

    assert feature_numbers(columns).tolist() == [0, 1, 0, 2, 3]
    assert read_one([hidden], reason_of(1, 2, BOTH))["transformed"]


def test_no_reasons_are_no_features() -> None:
    assert ReasonReader.build([AGE]).read(np.empty(0, dtype=REASON), 2) == [[], []]
