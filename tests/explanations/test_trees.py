"""Single rows, as callers send them, and columns, as datasets hold them, follow the same path in a tree."""

from typing import Any

import orjson
import pytest

from explanations.trees import WarmTree, follow_path, splits_of
from schemas.approximation_trees import ApproximationNode, ApproximationTreeResult
from schemas.explanation_parts import ApproximationPath
from schemas.rule_sets import RuleFeature
from tests.support.printed_rules import condition
from tests.support.printed_trees import plain_rows, stump
from tests.support.printed_trees import tree_content as document_of
from tests.support.trees_of_conditions import TREES, GrownTree, grown, with_holes

Values = dict[str, Any]


def _values(made: GrownTree) -> list[Values]:
    """Return rows, many of whose values are missing, as callers send them."""
    return [dict(row) for row in plain_rows(with_holes(made.rows))]


def _path_of(content: ApproximationTreeResult, row: Values) -> list[tuple[int, bool]]:
    """Return the nodes that a row passes, read straight from the words of the questions."""
    missing = {feature.name: (None, feature.missing_text) for feature in content.features}
    at, path = content.nodes[0], []
    while at.left is not None and at.right is not None:
        value = row[at.column or ""]
        holds = (
            (bool(at.or_missing) or at.operator == "is missing")
            if value in missing[at.column or ""]
            else _holds(at, value)
        )
        path.append((at.id, holds))
        at = content.nodes[at.left if holds else at.right]
    return [*path, (at.id, False)]


def _holds(node: ApproximationNode, value: Any) -> bool:  # a number or a text
    if node.operator == "<=":
        return bool(value <= node.value)
    if node.operator == "is missing":
        return False
    return value in (node.value if isinstance(node.value, list) else [node.value])


@pytest.mark.parametrize("name", TREES)
@pytest.mark.sampled("thirds")
def test_rows_take_the_path_that_the_words_describe_alone_and_together(name: str) -> None:
    made = grown(name)
    content, rows = document_of(made), _values(made)
    warm = WarmTree.of(content, made.rows.names)
    paths = [_path_of(content, row) for row in rows]

    assert [warm.leaf_of(list(row.values())) for row in rows] == [path[-1][0] for path in paths]
    assert [follow_path(splits_of(content), row).passed for row in rows] == [tuple(path[:-1]) for path in paths]
    assert len({path[-1][0] for path in paths}) > 4


@pytest.mark.parametrize("name", ["random_forest_multiclass", "random_forest_regression"])
def test_the_description_of_a_leaf_is_the_path_to_it(name: str) -> None:
    made = grown(name)
    content = document_of(made)
    warm = WarmTree.of(content, made.rows.names)

    for row in _values(made)[:60]:
        path = _path_of(content, row)
        leaf = content.nodes[path[-1][0]]
        for label in (None,) if name.endswith("regression") else range(3):
            rendered = ApproximationPath.model_validate_json(warm.text(leaf.id, label))
            assert [(node.id, node.holds) for node in rendered.nodes] == path[:-1]
            assert [node.text for node in rendered.nodes] == [content.nodes[at].text for at, _ in path[:-1]]
            assert (rendered.leaf.prediction, rendered.leaf.scores) == (leaf.prediction, leaf.scores)
            assert rendered.agrees == (None if label is None else content.classes[label] == leaf.prediction)


def test_a_leaf_alone_is_reached_at_once() -> None:
    content = document_of(grown("random_forest_multiclass"))
    leaf = next(node for node in content.nodes if node.left is None).model_copy(update={"id": 0, "depth": 0})
    alone = content.model_copy(update={"nodes": [leaf], "features": []})

    warm = WarmTree.of(alone, ["f0"])

    assert warm.leaf_of([1.0]) == 0
    assert orjson.loads(warm.text(0, 0))["nodes"] == []


def test_a_walk_ends_at_the_first_question_that_is_not_answered() -> None:
    made = grown("missing_kept")
    content = document_of(made)
    steps, row = splits_of(content), _values(made)[0]
    path = _path_of(content, row)
    columns = [content.nodes[at].column for at, _ in path[:-1]]

    for n_answers in range(len(columns) + 1):
        known = {name: row[name] for name in columns[:n_answers] if name is not None}
        expected = next(
            (at for at, (_, column) in enumerate(zip(path, columns, strict=False)) if column not in known), None
        )
        found = follow_path(steps, known)
        assert found.reached == (path[-1][0] if expected is None else path[expected][0])
        assert list(found.passed) == path[: len(found.passed)]


def test_one_hot_columns_that_belong_together_are_tested_as_models_read_them() -> None:
    feature = RuleFeature(name="stage_grown", type="number", missing_text=None)
    content = stump(feature, condition("stage_grown", "is", "grown", of="stage"), "yes", "no")

    warm = WarmTree.of(content, ["other", "stage_grown"])

    assert [warm.leaf_of([0.0, value]) for value in (1, True, 1.0, 0, False, None)] == [1, 1, 1, 2, 2, 2]
