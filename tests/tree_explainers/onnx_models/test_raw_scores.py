"""Raw scores are known where graphs add, average, weigh and link; where they do more, nothing is said."""

import numpy as np
import pytest
from onnx import helper, numpy_helper

from tests.support.tree_graphs import graph_of, stump
from tree_explainers.onnx_models.description import DeclaredModel, ModelDescription, ModelLimits, ScoreTerm
from tree_explainers.onnx_models.reading import read_model


def described(*nodes: tuple[str, list[str], str], **constants: float) -> ModelDescription:
    """Return the description of two stumps, ``first`` and ``second``, and what becomes of them."""
    trees = [
        helper.make_node("TreeEnsembleRegressor", ["X"], [name], domain="ai.onnx.ml", **stump())
        for name in ("first", "second")
    ]
    others = [helper.make_node(kind, inputs, [output]) for kind, inputs, output in nodes]
    model = graph_of([*trees, *others])
    arrays = {name: np.array([value], np.float32) for name, value in constants.items()}
    model.graph.initializer.extend(numpy_helper.from_array(array, name) for name, array in arrays.items())
    return read_model(model.SerializeToString(), DeclaredModel(), ModelLimits()).description


def test_weighted_sums_have_the_factors_of_their_members() -> None:
    raw = described(
        ("Mul", ["first", "two"], "twice"), ("Sub", ["twice", "second"], "rest"), ("Add", ["one", "rest"], "Y"),
        one=1.0, two=2.0,
    ).raw_scores  # fmt: skip

    assert raw is not None
    assert (raw.link, raw.offsets, raw.n_trees) == (None, (1.0,), (1, 1))
    assert raw.terms == ((ScoreTerm(0, 0, 2.0),), (ScoreTerm(0, 0, -1.0),))


def test_members_that_count_alike_are_stated_once() -> None:
    raw = described(("Mean", ["first", "second"], "Y")).raw_scores

    assert raw is not None
    assert (raw.terms, raw.n_trees) == (((ScoreTerm(0, 0, 0.5),),), (2,))


@pytest.mark.parametrize(
    "nodes",
    [
        [("Div", ["one", "first"], "other"), ("Add", ["other", "second"], "Y")],
        [("Exp", ["first"], "other"), ("Add", ["other", "second"], "Y")],
        [("Sigmoid", ["first"], "other"), ("Add", ["other", "second"], "Y")],
    ],
)
def test_whatever_is_not_affine_has_no_raw_scores(nodes: list[tuple[str, list[str], str]]) -> None:
    assert described(*nodes, one=1.0).raw_scores is None


def test_descriptions_keep_raw_scores_as_json() -> None:
    description = described(("Mean", ["first", "second"], "Y"))

    assert ModelDescription.from_json(description.to_json()) == description
