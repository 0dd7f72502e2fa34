"""Numbers in words, and where values stand on an axis."""

import math
from types import SimpleNamespace
from typing import get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st
from leafspace_drawings import ColumnNames, words
from leafspace_drawings.images import ImageColumns
from leafspace_drawings.scales import Axis, Strip
from leafspace_drawings.tree_texts import of_repeats, of_validation
from leafspace_drawings.value_fields import hint_of

from schemas.artefacts import TreeWeighting


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0, "0"),
        (3, "3"),
        (0.027136, "0.02714"),
        (1234.5, "1,234"),
        (12345.678, "12,346"),
        (-2.5, "-2.5"),
        (0.00001234, "1.234e-05"),
        (1e15, "1.000e+15"),
        (math.nan, "not a number"),
        (-math.inf, "-infinity"),
    ],
)
def test_numbers_have_four_significant_digits(value: float, text: str) -> None:
    assert words.number(value) == text


@given(st.floats(-1e300, 1e300))
def test_a_printed_number_is_the_number_to_four_digits(value: float) -> None:
    read = float(words.number(value).replace(",", ""))
    assert read == pytest.approx(value, rel=5.1e-4)


def test_a_field_of_two_whole_numbers_says_both() -> None:
    flag = {"min": 0.0, "max": 1.0, "decimals": 0}
    assert hint_of(flag) == "in the reference rows 0 or 1"
    assert hint_of(flag | {"decimals": 2}) == "in the reference rows 0 to 1"
    assert hint_of(flag | {"max": 3.0}) == "in the reference rows 0 to 3"


def test_how_often_answers_agree_is_one_clause_with_the_constant_answer_last() -> None:
    constant = {"model_prediction": "no", "fidelity": 0.8, "balanced_fidelity": 0.5}
    measured = {"fidelity": 0.9, "balanced_fidelity": 0.85}
    said = {"no": "alive"}.__getitem__
    unequal = "85% with each class counted alike and 90% of all (always “alive”: 50% and 80%)"
    assert words.agreement(measured, constant, said) == unequal
    assert words.agreement(measured, constant | {"fidelity": 0.55}) == "90% (always “no”: 55%)"
    assert words.agreement(measured, None) == "90%"


@pytest.mark.parametrize(
    ("value", "text"),
    [(0, "0%"), (1, "100%"), (0.86, "86%"), (0.9999, "99.9%"), (0.00001, "0.1%"), (0.07, "7%"), (0.986, "98.6%")],
)
def test_only_nothing_is_0_and_only_everything_is_100_per_cent(value: float, text: str) -> None:
    assert words.share(value) == text


@given(st.floats(0, 1 - 1e-9, exclude_min=True))
def test_what_is_below_1_is_not_printed_as_1(value: float) -> None:
    for text in (words.number(value), words.brief(value), words.signed(value)[1:], words.signed(-value)[1:]):
        assert float(text) < 1
    assert 0 < words.rounded(value, 2) < 1
    assert float(words.tenths(value)[:-1]) < 100


@pytest.mark.parametrize(
    ("value", "text"), [(0, "0.0%"), (1, "100.0%"), (0.8642, "86.4%"), (0.9996, "99.96%"), (0.0001, "0.01%")]
)
def test_tenths_of_a_per_cent_tell_a_share_from_nothing_and_from_everything(value: float, text: str) -> None:
    assert words.tenths(value) == text


@pytest.mark.parametrize("phrase", ["the model predicts 100% of X", "The model predicts 100% of X."])
def test_a_phrase_becomes_a_sentence_whose_names_stay_as_they_are(phrase: str) -> None:
    assert words.sentence(phrase) == "The model predicts 100% of X."


def test_what_cannot_be_seen_is_replaced() -> None:
    assert words.readable("a\u202eb\x00c\nd") == "a\ufffdb\ufffdc d"


def test_an_axis_by_rank_gives_each_quantile_the_same_room() -> None:
    axis = Axis.of({"type": "number", "min": 0, "max": 100, "quantiles": [0, 1, 2, 10, 100]})
    assert axis is not None
    assert [axis.place(value) for value in (0, 1, 2, 10, 100)] == [0, 0.25, 0.5, 0.75, 1]
    assert axis.place(55) == 0.875
    assert axis.place(-5) == 0
    assert axis.place(500) == 1
    assert axis.share_between(1, 10) == 0.5


def test_equal_quantiles_stand_in_their_middle() -> None:
    axis = Axis.of({"type": "number", "min": 0, "max": 8, "quantiles": [0, 0, 0, 1, 8]})
    assert axis is not None
    assert axis.place(0) == 0.25


def test_without_quantiles_an_axis_goes_from_the_lowest_value_to_the_highest() -> None:
    axis = Axis.of({"type": "number", "min": 10, "max": 20})
    assert axis is not None
    assert axis.place(15) == 0.5
    assert axis.share_between(10, 20) is None


def test_columns_without_numbers_have_no_axis() -> None:
    assert Axis.of(None) is None
    assert Axis.of({"type": "category", "min": None}) is None
    assert Axis.of({"type": "number", "min": None}) is None


@given(st.lists(st.floats(-1e6, 1e6), min_size=2, max_size=101).map(sorted), st.floats(-2e6, 2e6), st.floats(-2e6, 2e6))
def test_places_keep_the_order_of_values(points: list[float], one: float, other: float) -> None:
    axis = Axis(tuple(points), by_rank=True)
    low, high = sorted((one, other))
    assert 0 <= axis.place(low) <= axis.place(high) <= 1


def test_a_strip_shows_the_stretch_and_both_rows() -> None:
    strip = Strip.of(Axis((0, 10), by_rank=False), {"low": 2, "high": 8}, 5, None)
    assert strip.band == (51.6, 188.4)
    assert strip.row == 120
    assert strip.other is None
    assert not strip.opens_left


def test_a_stretch_without_ends_reaches_the_edges() -> None:
    strip = Strip.of(Axis((0, 10), by_rank=False), {"or_missing": True}, None, 0)
    assert strip.band == (6, 234)
    assert strip.opens_left
    assert strip.opens_right


def test_only_missing_values_leave_no_stretch() -> None:
    assert Strip.of(Axis((0, 10), by_rank=False), {"is_missing": True}, None, None).band is None


def test_columns_called_pixels_are_offered_as_an_image() -> None:
    names = [f"pixel_{row}_{column}" for row in range(2) for column in range(3)]
    columns = ImageColumns.offered_by(names)
    assert columns is not None
    assert (columns.width, columns.height) == (3, 2)
    assert columns.data_url(dict.fromkeys(names, 255)).startswith("data:image/png;base64,iVBOR")
    assert ImageColumns.offered_by(["age", "fare"]) is None
    assert ImageColumns.offered_by(["pixel_0_0", "pixel_2_2"]) is None


def test_white_is_the_highest_number_of_the_pixels_where_nothing_declares_another() -> None:
    names = ["pixel_0_0", "pixel_0_1"]
    columns = [{"name": name, "max": most} for name, most in zip([*names, "age"], (16.0, 9.0, 90.0), strict=True)]
    for dataset, highest in (({"columns": columns}, 16.0), (None, 255.0), ({"columns": [{"name": names[0]}]}, 255.0)):
        found = ImageColumns.among(dataset, names)
        assert found is not None
        assert found.highest == highest


def test_a_png_has_the_pixels_of_the_row() -> None:
    pil = pytest.importorskip("PIL.Image")
    import base64
    import io

    columns = ImageColumns(("a", "b", "c", "d"), 2, 2, highest=16)
    url = columns.data_url({"a": 0, "b": 16, "c": 8, "d": None})
    image = pil.open(io.BytesIO(base64.b64decode(url.partition(",")[2])))
    assert [image.getpixel(place) for place in ((0, 0), (1, 0), (0, 1), (1, 1))] == [0, 255, 128, 0]


def test_a_heat_lies_over_the_pixels_that_trees_ask_about() -> None:
    pil = pytest.importorskip("PIL.Image")
    import base64
    import io

    columns = ImageColumns(("a", "b"), 2, 1)
    url = columns.heat_url({"a": 100, "b": 200}, {"a": 0.5})
    assert url is not None
    image = pil.open(io.BytesIO(base64.b64decode(url.partition(",")[2])))
    assert [image.getpixel(place) for place in ((0, 0), (1, 0))] == [(230, 120, 0), (200, 200, 200)]
    assert columns.heat_url({}, {}) is None


@pytest.mark.parametrize(
    ("value", "text"),
    [(0.3417, "0.34"), (79.95, "80"), (4327.4, "4,327"), (0, "0"), (0.0123, "0.012"), (-4.4e-5, "-0.000044")],
)
def test_brief_numbers_have_two_significant_digits(value: float, text: str) -> None:
    assert words.brief(value) == text


def test_a_strip_says_which_share_of_rows_lies_in_the_stretch() -> None:
    axis = Axis.of({"type": "number", "min": 0, "max": 100, "quantiles": [0, 1, 2, 10, 100]})
    assert axis is not None
    assert Strip.of(axis, {"low": 1, "high": 10}, 5, None).share == 0.5
    assert Strip.of(Axis((0, 10), by_rank=False), {"low": 2}, 5, None).share is None


@pytest.mark.parametrize(
    ("depth", "sentence"),
    [
        (1, "its error, 0.2, is within one standard error (0.01) of the least, 0.195 at depth 2."),
        (2, "its error, 0.195, is the least."),
    ],
)
def test_a_tree_says_how_its_depth_was_chosen(depth: int, sentence: str) -> None:
    found = SimpleNamespace(errors=[0.4, 0.2, 0.195], standard_errors=[0.02, 0.02, 0.01], depth=depth)
    assert [*of_validation(SimpleNamespace(validation=found))] == [f"Depth {depth} was chosen: {sentence}"]
    assert [*of_validation(SimpleNamespace(validation=None))] == []


def test_a_tree_says_how_many_different_ones_its_repeats_made() -> None:
    levels = [SimpleNamespace(depth=depth, n_structures=n) for depth, n in enumerate((1, 4, 12), 1)]
    sentence = "The repeats from other pseudo-samples made 1 different tree to depth 1, 4 to depth 2, 12 to depth 3."
    assert [*of_repeats(SimpleNamespace(stability=levels))] == [sentence]
    assert [*of_repeats(SimpleNamespace(stability=None))] == []


@pytest.mark.parametrize(
    ("name", "parts"),
    [
        ("property_magnitude", ["property_", "magnitude"]),
        ("NumberOfTime60-89Days", ["Number", "Of", "Time60-", "89Days"]),
        ("furniture/equipment", ["furniture/", "equipment"]),
        ("no known property", ["no ", "known ", "property"]),
        ("age", ["age"]),
        ("", [""]),
    ],
)
def test_lines_end_between_the_parts_of_names(name: str, parts: list[str]) -> None:
    assert words.word_parts(name) == parts


@pytest.mark.parametrize("kind", get_args(TreeWeighting))
def test_how_trees_count_is_said_in_words(kind: str) -> None:
    assert "count" in words.weighting(kind)
    assert kind.rsplit("_", maxsplit=1)[-1] not in words.weighting(kind)


def test_jobs_are_called_by_what_one_of_them_makes() -> None:
    kinds = (
        "prototype_sets",
        "rule_sets",
        "approximation_trees",
        "label_audits",
        "maps",
        "comparisons",
        "proximities",
        "reports",
    )

    made = ["prototypes", "rules", "tree", "label audit", "map", "comparison", "proximities", "report"]
    assert list(map(words.kind_words, kinds)) == made


@pytest.mark.parametrize(
    ("value", "text"),
    [("Infinity", "∞"), ("-Infinity", "\N{MINUS SIGN}∞"), ("infinity", "infinity"), (None, "missing")],
)
def test_infinite_cells_are_signs(value: str | None, text: str) -> None:
    assert words.cell(value) == text


@pytest.mark.parametrize(
    ("seconds", "text"), [(0.04, "0.0 s"), (9.96, "10 s"), (59.4, "59 s"), (59.6, "1 min"), (7500.0, "2 h 5 min")]
)
def test_a_duration_is_said_in_its_own_unit(seconds: float, text: str) -> None:
    assert words.duration(seconds) == text


@pytest.mark.parametrize(
    ("level", "percentile", "text"),
    [
        ("none", 0, "shares no leaf with any prototype"),
        ("far", 0, "less near than nearly all rows"),
        ("typical", 25, "less near than 75% of rows"),
        ("close", 81, "at least as near as 81% of rows"),
        ("close", 100, "no row is nearer"),
    ],
)
def test_how_near_a_row_is_beside_others_is_said_by_their_share(level: str, percentile: int, text: str) -> None:
    assert words.nearness({"level": level, "percentile": percentile}) == text


@pytest.mark.parametrize(("value", "text"), [(2007, "2007"), (2007.0, "2007"), (2008.5, "2008.5"), (None, None)])
def test_a_year_is_written_without_commas(value: float | None, text: str | None) -> None:
    dataset = {"columns": [{"name": "year", "type": "number", "plain_digits": True}, {"name": "miles"}]}
    names = ColumnNames(dataset)
    assert names["year"].in_words(value) == text
    assert names["miles"].number(12345) == "12,345"
    assert value is None or names["year"].number(value) == text


@pytest.mark.parametrize(
    ("one", "other", "said"),
    [
        (-117.04, -117.05, ("-117.04", "-117.05")),
        (1234.56, 1234.561, ("1,234.56", "1,234.561")),
        (51.8625, 86.5, ("51.86", "86.5")),
        (3, 3, ("3", "3")),
        (0.1, 0.1 + 2**-55, ("0.1", "0.1")),
    ],
)
def test_two_numbers_have_as_many_digits_as_distinguish_them(one: float, other: float, said: tuple[str, str]) -> None:
    assert words.distinct_numbers(one, other) == said


@pytest.mark.parametrize(
    ("one", "other", "said"),
    [
        (0.34, 0.78, ("34%", "78%")),
        (0.766574, 0.767531, ("76.7%", "76.8%")),
        (0.991, 0.9914, ("99.10%", "99.14%")),
        (0.5, 0.5, ("50%", "50%")),
        (0.5, 0.5 + 2**-50, ("50%", "50%")),
    ],
)
def test_two_shares_have_as_many_decimals_as_distinguish_them(one: float, other: float, said: tuple[str, str]) -> None:
    assert words.distinct_shares(one, other) == said
