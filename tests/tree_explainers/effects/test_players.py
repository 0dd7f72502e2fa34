"""Which columns move together."""

from collections.abc import Mapping

import pytest

from tree_explainers.effects.players import Players
from tree_explainers.errors import InvalidInput
from tree_explainers.onnx_models.column_map import group_columns
from tree_explainers.onnx_models.description import FeatureGroup, GroupColumn, ModelColumn

NAMES = ("age", "job_cook", "job_smith", "port")
COLUMNS = (
    ModelColumn("port", "indicator", "port", 3, category="S"),
    ModelColumn("age", "identity", "age", 0),
    ModelColumn("job_smith", "identity", "job_smith", 2),
    ModelColumn("component 1 of 1 of age, port", "transformed", None, None),
    ModelColumn("port", "indicator", "port", 3, category="Q"),
    ModelColumn("isnan(age)", "transformed", "age", 0),
)


def test_all_columns_of_a_raw_feature_are_one_player() -> None:
    players = Players.of(COLUMNS, NAMES)

    assert players.names == (*NAMES, "component 1 of 1 of age, port")
    assert players.transformed == (False, False, False, False, True)
    assert players.of_column.tolist() == [3, 0, 2, 4, 3, 0]


def test_declared_one_hot_columns_are_one_player() -> None:
    group = FeatureGroup("job", (GroupColumn("job_cook", "cook"), GroupColumn("job_smith", "smith")))
    columns = (*COLUMNS, ModelColumn("job_cook", "identity", "job_cook", 1))

    players = Players.of(group_columns(columns, [group]), NAMES)

    assert players.names == ("age", "job", "port", "component 1 of 1 of age, port")
    assert players.of_column.tolist() == [2, 0, 1, 3, 2, 0, 1]


def test_groups_of_features_are_one_player_in_place_of_the_first() -> None:
    players = Players.of(COLUMNS, NAMES, {"journey": ["port", "job_cook"]})

    assert players.names == ("age", "journey", "job_smith", "component 1 of 1 of age, port")
    assert players.of_column.tolist() == [1, 0, 2, 3, 1, 0]


@pytest.mark.parametrize(
    ("groups", "text"),
    [
        ({"none": []}, "'none' has no features"),
        ({"some": ["ages"]}, "'ages', which the model does not have; did you mean 'age'"),
        ({"a": ["age"], "b": ["age", "port"]}, "'age' is in the groups 'a' and 'b'"),
        ({"port": ["age"]}, "'port' has the name of a feature that is not in it"),
    ],
)
def test_groups_that_do_not_fit_are_refused(groups: Mapping[str, list[str]], text: str) -> None:
    with pytest.raises(InvalidInput, match=text):
        Players.of(COLUMNS, NAMES, groups)
