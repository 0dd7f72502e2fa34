import json
import resource
from collections.abc import Callable
from typing import Any

import numpy as np
import onnx
import pytest
from onnx import ModelProto, TensorProto, helper

from tests.support.models import fitted
from tests.support.pipelines import fitted_pipeline
from tests.support.shared import shared_path
from tests.support.tree_graphs import chain, graph_of, newest, random_trees, regressor, stump
from tree_explainers.errors import ForeignFormat, ModelRefused
from tree_explainers.onnx_models.description import DeclaredModel, ModelLimits
from tree_explainers.onnx_models.reading import read_model
from tree_explainers.onnx_models.session import ModelSession
from tree_explainers.onnx_models.sniffing import HEAD_BYTES, sniff_model


def code_of(data: bytes, limits: ModelLimits | None = None) -> str | None:
    """Return the code with which a file is refused; ``None`` where it is taken and opens."""
    try:
        sniff_model(data[:HEAD_BYTES])
        read = read_model(data, DeclaredModel(), limits or ModelLimits())
        session = ModelSession(read.leaf_graph, read.description)
        session.run(session.encode_matrix(np.zeros((2, read.description.n_features))))
    except ModelRefused as refusal:
        return refusal.code
    return None


def with_changes(changes: dict[str, Any]) -> bytes:
    """Return a stump with some of its attributes changed; ``None`` leaves one out."""
    attributes = {name: value for name, value in {**stump(), **changes}.items() if value is not None}
    return bytes(regressor(attributes).SerializeToString())


def test_each_hostile_model_is_refused_with_its_code_and_the_good_ones_are_taken() -> None:
    folder = shared_path("badinputs")
    expected = json.loads((folder / "expected.json").read_text())
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    models = {name: entry["code"] for name, entry in expected.items() if name.endswith(".onnx")}

    found = {name: code_of((folder / name).read_bytes()) for name in models}

    assert found == models
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 200_000  # kB


@pytest.mark.parametrize(
    "head",
    [
        *(b"\x80\x04\x95", b"cposix\nsystem\n(Vtrue\n", b"(lp0\n", b"PK\x03\x04", b"\x1f\x8b\x08", b'{"a": 1}'),
        b"\x18\x00\x00\x00ORTM",
    ],
)
def test_files_of_other_formats_are_recognised_by_their_first_bytes(head: bytes) -> None:
    with pytest.raises(ForeignFormat) as caught:
        sniff_model(head)

    assert caught.value.code == "model_not_onnx"


@pytest.mark.parametrize("name", ["random_forest_binary", "xgboost_binary", "catboost_binary"])
def test_real_models_pass_the_first_look(name: str) -> None:
    sniff_model(fitted(name).onnx[:HEAD_BYTES])


@pytest.mark.parametrize("share", [0.01, 0.3, 0.6, 0.9, 0.99])
def test_a_file_cut_short_is_no_onnx(share: float) -> None:
    data = fitted("random_forest_binary").onnx

    assert code_of(data[: int(len(data) * share)]) == "model_not_onnx"


@pytest.mark.parametrize("tail", [b"\xff" * 64, b"\x00", b"hello", b"\xfa\x06\x03abc"])
def test_a_file_with_something_after_its_end_is_no_onnx(tail: bytes) -> None:
    assert code_of(fitted("random_forest_binary").onnx + tail) == "model_not_onnx"


def test_a_graph_without_trees_is_no_tree_ensemble() -> None:
    model = graph_of([helper.make_node("Identity", ["X"], ["Y"])])

    assert code_of(model.SerializeToString()) == "model_not_a_tree_ensemble"


@pytest.mark.parametrize(
    "changes",
    [
        {"nodes_truenodeids": [2, 0, 0]},
        {"nodes_falsenodeids": [0, 0, 0]},
        {"nodes_falsenodeids": [3, 0, 0]},
        {"nodes_falsenodeids": [-1, 0, 0]},
        {"nodes_falsenodeids": [2**32 + 2, 0, 0]},
        {"nodes_nodeids": [0, 1, 1]},
        {"nodes_nodeids": [0, 1, -2]},
        {"nodes_treeids": [0, 0, 1]},
        {"nodes_treeids": [0, 0, 2**40]},
        {"nodes_featureids": [3, 0, 0]},
        {"nodes_featureids": [-1, 0, 0]},
        {"nodes_values": [1.0, 0.0]},
        {"nodes_missing_value_tracks_true": [1]},
        {"nodes_hitrates": [1.0]},
        {"nodes_modes": ["BRANCH_LEQ", "BRANCH_LEQ", "LEAF"]},
        {"nodes_modes": None},
        {"target_ids": [0, 1]},
        {"target_ids": [0, -1]},
        {"target_nodeids": [1, 0]},
        {"target_nodeids": [1, 7]},
        {"target_weights": [1.0]},
        {"n_targets": 0},
        {"n_targets": None},
        {"base_values": [1.0, 2.0]},
    ],
)
def test_nodes_that_make_no_tree_are_refused(changes: dict[str, Any]) -> None:
    assert code_of(with_changes(changes)) == "model_invalid_tree"


@pytest.mark.parametrize(
    "changes",
    [
        {"nodes_values": [float("nan"), 0.0, 0.0]},
        {"target_weights": [float("inf"), 1.0]},
        {"target_weights": [float("nan"), 1.0]},
        {"base_values": [float("inf")]},
    ],
)
def test_numbers_that_are_not_finite_are_refused(changes: dict[str, Any]) -> None:
    assert code_of(with_changes(changes)) == "model_non_finite"


@pytest.mark.parametrize(("depth", "code"), [(512, None), (513, "model_too_complex"), (20_000, "model_too_complex")])
def test_a_tree_may_be_512_questions_deep(depth: int, code: str | None) -> None:
    assert code_of(regressor(chain(depth)).SerializeToString()) == code


@pytest.mark.parametrize(
    "limits",
    [
        ModelLimits(max_nodes=100),
        ModelLimits(max_trees=19),
        ModelLimits(max_depth=3),
        ModelLimits(max_outputs=2),
        ModelLimits(max_features=12),
        ModelLimits(max_operators=2),
        ModelLimits(max_leaf_values=600),
    ],
)
def test_a_model_beyond_a_limit_is_too_complex(limits: ModelLimits) -> None:
    assert code_of(fitted("random_forest_multiclass").onnx) is None
    assert code_of(fitted("random_forest_multiclass").onnx, limits) == "model_too_complex"


def test_several_targets_at_once_are_refused() -> None:
    data = with_changes({"n_targets": 2, "target_ids": [0, 1]})

    assert code_of(data) == "model_unsupported_input"


def test_a_thousand_million_targets_cost_no_memory() -> None:
    assert code_of(with_changes({"n_targets": 10**9})) == "model_too_complex"


def _twice(model: ModelProto) -> None:
    model.graph.node[0].attribute.append(model.graph.node[0].attribute[1])


def _type_lies(model: ModelProto) -> None:
    model.graph.node[0].attribute[1].floats.append(1.0)


def _reads_nothing(model: ModelProto) -> None:
    del model.graph.node[0].input[:]


def _output_without_maker(model: ModelProto) -> None:
    model.graph.output[0].name = "Z"


def _made_twice(model: ModelProto) -> None:
    model.graph.node.append(model.graph.node[0])


def _short_constant(model: ModelProto) -> None:
    model.graph.initializer.append(TensorProto(name="c", data_type=TensorProto.FLOAT, dims=[10**12], raw_data=b"1234"))


def _two_kinds_of_data(model: ModelProto) -> None:
    tensor = TensorProto(name="c", data_type=TensorProto.FLOAT, dims=[1], raw_data=b"1234", float_data=[1.0])
    model.graph.initializer.append(tensor)


def _raw_data_that_are_empty(model: ModelProto) -> None:
    model.graph.initializer.append(
        TensorProto(name="c", data_type=TensorProto.FLOAT, dims=[1], raw_data=b"", float_data=[1.0])
    )


@pytest.mark.parametrize(
    "spoil",
    [
        _raw_data_that_are_empty,
        _twice,
        _type_lies,
        _reads_nothing,
        _output_without_maker,
        _made_twice,
        _short_constant,
        _two_kinds_of_data,
    ],
)
def test_a_graph_that_could_be_read_ambiguously_is_refused(spoil: Callable[[ModelProto], None]) -> None:
    model = regressor(stump())
    spoil(model)

    assert code_of(model.SerializeToString()) == "model_invalid_graph"


def test_a_name_that_is_no_text_is_refused() -> None:
    data = regressor(stump()).SerializeToString().replace(b"nodes_modes", b"nodes_mod\xff\xfe")

    assert code_of(data) == "model_invalid_graph"


def test_labels_and_categories_that_are_not_utf_8_are_refused() -> None:
    whole = ModelProto.FromString(fitted_pipeline("scaled_and_one_hot").onnx)
    of_texts = [
        (index, attribute.name)
        for index, node in enumerate(whole.graph.node)
        for attribute in node.attribute
        if attribute.strings
    ]
    assert len(of_texts) > 1
    for index, name in of_texts:
        model = ModelProto.FromString(fitted_pipeline("scaled_and_one_hot").onnx)
        next(each for each in model.graph.node[index].attribute if each.name == name).strings[0] = b"\xff\xfe"
        assert code_of(model.SerializeToString()) == "model_invalid_graph", name

    tensor = TensorProto(name="c", data_type=TensorProto.STRING, dims=[1], string_data=[b"\xff\xfe"])
    whole.graph.initializer.append(tensor)
    assert code_of(whole.SerializeToString()) == "model_invalid_graph"


def test_a_cast_to_nothing_is_refused() -> None:
    model = ModelProto.FromString(fitted_pipeline("one_matrix").onnx)
    casts = [node for node in model.graph.node if node.op_type == "Cast"]
    assert casts
    for node in casts:
        del node.attribute[:]

    assert code_of(model.SerializeToString()) == "model_invalid_graph"


def test_the_operator_of_another_version_is_refused() -> None:
    rng = np.random.default_rng(0)
    node = newest(random_trees(rng, 3, 3), rng, TensorProto.FLOAT)

    assert code_of(graph_of([node], ml_version=5).SerializeToString()) is None
    assert code_of(graph_of([node], ml_version=3).SerializeToString()) == "model_invalid_graph"


def test_a_shape_out_of_the_blue_is_refused() -> None:
    shape = helper.make_node("Constant", [], ["shape"], value_ints=[10**6, 10**6])
    fill = helper.make_node("ConstantOfShape", ["shape"], ["Z"])
    model = graph_of([shape, fill, *regressor(stump()).graph.node])

    assert code_of(model.SerializeToString()) == "model_op_not_allowed"


def test_constants_outside_the_file_are_refused() -> None:
    tensor = TensorProto(name="c", data_type=TensorProto.FLOAT, dims=[1], data_location=TensorProto.EXTERNAL)
    tensor.external_data.add(key="location", value="../../etc/passwd")
    model = regressor(stump())
    model.graph.initializer.append(tensor)

    assert code_of(model.SerializeToString()) == "model_external_data"


def test_an_infinite_constant_is_refused() -> None:
    model = regressor(stump())
    model.graph.initializer.append(onnx.numpy_helper.from_array(np.array([np.inf], np.float32), "c"))

    assert code_of(model.SerializeToString()) == "model_non_finite"


def test_what_a_stranger_calls_things_is_shown_on_one_line() -> None:
    node = helper.make_node("Evil\r\n\x1b[31m", ["X"], ["Y"])

    with pytest.raises(ModelRefused) as caught:
        read_model(graph_of([node]).SerializeToString(), DeclaredModel(), ModelLimits())

    assert caught.value.detail.isprintable()
