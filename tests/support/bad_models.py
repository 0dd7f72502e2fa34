"""Models as hostile, broken or careless clients could send them, by name, each with the codes that it may get."""

from collections.abc import Callable, Iterator
from itertools import pairwise
from typing import Any

import onnx
from onnx import AttributeProto, ModelProto, NodeProto, TensorProto, helper

from .tree_graphs import chain, graph_of, regressor, stump

BadFile = tuple[bytes, frozenset[str]]
_LARGE = 2**40


def bad_models() -> dict[str, BadFile]:
    """Return models by name; a code for each, or several where more than one is right; ``taken`` where it is good."""
    return {name: (data, frozenset(codes.split())) for name, data, codes in _all()}


def _all() -> Iterator[tuple[str, bytes, str]]:
    yield from _with_external_data()
    yield from _with_operators()
    yield from _that_grow()
    yield from _of_sizes_in_values()
    yield from _with_lies()
    yield from _with_bad_trees()
    yield from _that_are_no_models()


def _with_external_data() -> Iterator[tuple[str, bytes, str]]:
    tensor = TensorProto(name="c", data_type=TensorProto.FLOAT, dims=[1], data_location=TensorProto.EXTERNAL)
    tensor.external_data.add(key="location", value="/etc/passwd")
    unsaid = TensorProto(name="c", data_type=TensorProto.FLOAT, dims=[1], float_data=[1.0])
    unsaid.external_data.add(key="location", value="../upload")
    for name, each in (("external", tensor), ("external_unsaid", unsaid)):
        yield (
            f"{name}_initializer",
            _with_initializer(each),
            "model_external_data",
        )
        constant = helper.make_node("Constant", [], ["k"], value=each)
        yield f"{name}_constant", _before_trees(constant), "model_external_data"
        several = helper.make_node("Constant", [], ["k"])
        several.attribute.add(name="value", type=AttributeProto.TENSORS).tensors.append(each)
        yield f"{name}_tensors", _before_trees(several), "model_external_data"
    in_trees = _stump_with(nodes_values=None, nodes_values_as_tensor=tensor)
    yield "external_thresholds", in_trees, "model_external_data"
    sparse = onnx.SparseTensorProto(values=tensor, dims=[1])
    yield (
        "external_sparse",
        _changed(lambda model: model.graph.sparse_initializer.append(sparse)),
        "model_op_not_allowed",
    )
    in_attribute = helper.make_node("Constant", [], ["k"])
    in_attribute.attribute.add(name="sparse_value", type=AttributeProto.SPARSE_TENSOR).sparse_tensor.CopyFrom(sparse)
    yield "external_sparse_value", _before_trees(in_attribute), "model_op_not_allowed"
    function = helper.make_function(
        "f", "F", ["x"], ["y"], [helper.make_node("Constant", [], ["y"], value=tensor)], [helper.make_opsetid("", 17)]
    )
    yield "external_in_function", _changed(lambda model: model.functions.append(function)), "model_op_not_allowed"
    branch = helper.make_graph([], "b", [], [], [tensor])
    yield (
        "external_in_branch",
        _before_trees(helper.make_node("If", ["X"], ["k"], then_branch=branch, else_branch=branch)),
        "model_op_not_allowed",
    )
    training = onnx.TrainingInfoProto(algorithm=branch)
    yield "external_in_training", _changed(lambda model: model.training_info.append(training)), "model_op_not_allowed"


def _with_operators() -> Iterator[tuple[str, bytes, str]]:
    body = helper.make_graph([], "b", [], [])
    for name, node in {
        "loop": helper.make_node("Loop", ["X"], ["k"], body=body),
        "scan": helper.make_node("Scan", ["X"], ["k"], body=body, num_scan_inputs=1),
        "expand": helper.make_node("Expand", ["X", "X"], ["k"]),
        "tile": helper.make_node("Tile", ["X", "X"], ["k"]),
        "range": helper.make_node("Range", ["X", "X", "X"], ["k"]),
        "random": helper.make_node("RandomNormal", [], ["k"], shape=[_LARGE]),
        "pad": helper.make_node("Pad", ["X", "X"], ["k"]),
        "microsoft": helper.make_node("Gelu", ["X"], ["k"], domain="com.microsoft"),
        "training": helper.make_node("Gradient", ["X"], ["k"], domain="ai.onnx.preview.training"),
        "known_name_of_another_domain": helper.make_node("Identity", ["X"], ["k"], domain="com.example"),
        "no_name": helper.make_node("", ["X"], ["k"]),
        "right_to_left": helper.make_node("\u202eytitnedI", ["X"], ["k"]),
    }.items():
        yield f"operator_{name}", _before_trees(node), "model_op_not_allowed"
    yield "sequence", _before_trees(helper.make_node("SequenceEmpty", [], ["k"])), "model_op_not_allowed"
    for name, names in (("itself", ("a", "a")), ("two", ("a", "b", "a")), ("three", ("a", "b", "c", "a"))):
        nodes = [helper.make_node("Identity", [b], [a]) for a, b in pairwise(names)]
        yield f"cycle_of_{name}", _before_trees(*nodes), "model_invalid_graph"
    yield (
        "thousands_of_operators",
        _before_trees(*(helper.make_node("Neg", ["X"], [f"k{at}"]) for at in range(7_000))),
        "model_too_complex",
    )


def _that_grow() -> Iterator[tuple[str, bytes, str]]:
    doubled = [helper.make_node("Concat", [f"k{at}", f"k{at}"], [f"k{at + 1}"], axis=1) for at in range(40)]
    sum_of = [helper.make_node("ReduceMax", ["k40"], ["m"], axes=[1], keepdims=1)]
    yield (
        "doubled_forty_times",
        _into_trees(helper.make_node("Identity", ["X"], ["k0"]), *doubled, *sum_of),
        "model_too_complex model_invalid_graph",
    )
    doubled_less = [helper.make_node("Concat", [f"k{at}", f"k{at}"], [f"k{at + 1}"], axis=1) for at in range(18)]
    sum_less = helper.make_node("ReduceMax", ["k18"], ["m"], axes=[1], keepdims=1)
    yield (
        "doubled_for_many_rows",
        _into_trees(helper.make_node("Identity", ["X"], ["k0"]), *doubled_less, sum_less),
        "model_too_complex",
    )
    cube = [
        helper.make_node("ReduceMax", ["X"], ["c"], axes=[1], keepdims=1),
        helper.make_node("Unsqueeze", ["c", "axis_2"], ["u"]),
        helper.make_node("Transpose", ["u"], ["v"], perm=[1, 0, 2]),
        helper.make_node("Transpose", ["u"], ["w"], perm=[1, 2, 0]),
        helper.make_node("Add", ["u", "v"], ["uv"]),
        helper.make_node("Add", ["uv", "w"], ["uvw"]),
        helper.make_node("ReduceMax", ["uvw"], ["m"], axes=[1, 2], keepdims=0),
        helper.make_node("Unsqueeze", ["m", "axis_1"], ["mm"]),
    ]
    axes = [helper.make_node("Constant", [], [f"axis_{at}"], value_ints=[at]) for at in (1, 2)]
    yield "rows_cubed", _into_trees(*axes, *cube, last="mm"), "model_too_complex"


def _of_sizes_in_values() -> Iterator[tuple[str, bytes, str]]:
    fill = [
        helper.make_node("Constant", [], ["s"], value_ints=[2**31, 2**31]),
        helper.make_node("ConstantOfShape", ["s"], ["k"]),
    ]
    yield "constant_of_shape", _before_trees(*fill), "model_op_not_allowed"
    cast = helper.make_node("Cast", ["X"], ["s"], to=TensorProto.INT64)
    yield (
        "reshape_by_values",
        _before_trees(cast, helper.make_node("Reshape", ["X", "s"], ["k"])),
        "model_op_not_allowed",
    )
    yield (
        "slice_by_values",
        _before_trees(cast, helper.make_node("Slice", ["X", "s", "s"], ["k"])),
        "model_op_not_allowed",
    )


def _with_lies() -> Iterator[tuple[str, bytes, str]]:
    for name, tensor in {
        "dims": TensorProto(name="c", data_type=1, dims=[10**12], raw_data=b"1234"),
        "product_beyond_64_bits": TensorProto(name="c", data_type=1, dims=[2**32, 2**32], raw_data=b""),
        "negative_twice": TensorProto(name="c", data_type=1, dims=[-1, -1], raw_data=b"1234"),
        "half_a_number": TensorProto(name="c", data_type=1, dims=[1], raw_data=b"123"),
        "in_segments": TensorProto(
            name="c", data_type=1, dims=[1], float_data=[1], segment=TensorProto.Segment(begin=0, end=2**62)
        ),
    }.items():
        yield (
            f"tensor_{name}",
            _with_initializer(tensor),
            "model_invalid_graph",
        )
    yield (
        "tensor_of_no_type",
        _changed(lambda model: model.graph.initializer.append(TensorProto(name="c"))),
        "model_op_not_allowed",
    )
    for name, spoil, codes in (
        ("width", lambda model: _set_width(model, _LARGE), "model_too_complex"),
        ("negative_width", lambda model: _set_width(model, -3), "model_unsupported_input"),
        ("seven_rows", lambda model: _set_rows(model, 7), "taken"),
        ("inputs", lambda model: model.graph.input.extend(_inputs(20_000)), "model_too_complex"),
        ("same_inputs", lambda model: model.graph.input.extend([model.graph.input[0]]), "model_invalid_graph"),
        ("outputs", lambda model: model.graph.output.extend(_inputs(20_000)), "model_invalid_graph"),
        ("no_opset", lambda model: model.ClearField("opset_import"), "model_not_onnx"),
        ("old_opset", lambda model: setattr(model.opset_import[1], "version", 1), "model_unsupported_version"),
        ("negative_opset", lambda model: setattr(model.opset_import[0], "version", -1), "model_unsupported_version"),
    ):
        yield f"graph_{name}", _changed(spoil), codes
    yield "targets", _stump_with(n_targets=2**62), "model_too_complex"
    yield "negative_targets", _stump_with(n_targets=-(2**63)), "model_invalid_tree"
    yield (
        "long_name",
        _changed(lambda model: setattr(model.graph.output[0], "name", "Z" * 5_000_000)),
        "model_invalid_graph",
    )


def _with_bad_trees() -> Iterator[tuple[str, bytes, str]]:
    nan, infinity = float("nan"), float("inf")
    for name, changes, codes in (
        ("nan_threshold", {"nodes_values": [nan, 0.0, 0.0]}, "model_non_finite"),
        ("infinite_weight", {"target_weights": [-infinity, 1.0]}, "model_non_finite"),
        ("nan_base", {"base_values": [nan]}, "model_non_finite"),
        ("shared_child", {"nodes_falsenodeids": [1, 0, 0]}, "model_invalid_tree"),
        (
            "second_root",
            {"nodes_modes": ["BRANCH_LEQ", "LEAF", "LEAF", "LEAF"], **_fourth_node()},
            "model_invalid_tree",
        ),
        ("negative_id", {"nodes_nodeids": [0, 1, -2]}, "model_invalid_tree"),
        ("same_id", {"nodes_nodeids": [0, 1, 1]}, "model_invalid_tree"),
        ("large_id", {"nodes_nodeids": [0, 1, 2**63 - 1]}, "model_invalid_tree"),
        ("large_tree", {"nodes_treeids": [2**63 - 1] * 3}, "model_invalid_tree"),
        ("wrapping_child", {"nodes_truenodeids": [2**32 + 1, 0, 0]}, "model_invalid_tree"),
        ("wrapping_feature", {"nodes_featureids": [2**32, 0, 0]}, "model_invalid_tree"),
        ("lowest_feature", {"nodes_featureids": [-(2**63), 0, 0]}, "model_invalid_tree"),
        ("numbers_for_modes", {"nodes_modes": [0, 1, 1]}, "model_invalid_graph model_invalid_tree"),
        ("texts_for_numbers", {"nodes_values": ["1", "2", "3"]}, "model_invalid_graph model_invalid_tree"),
        ("unicode_mode", {"nodes_modes": ["BRANCH_LEQ\u0000", "LEAF", "LEAF"]}, "model_invalid_tree"),
        ("weight_of_a_branch", {"target_nodeids": [0, 2]}, "model_invalid_tree"),
        ("nothing", dict.fromkeys(stump(), None), "model_invalid_tree"),
    ):
        yield f"tree_{name}", _stump_with(**changes), codes
    yield "deep_chain", bytes(regressor(chain(30_000)).SerializeToString()), "model_too_complex"


def _that_are_no_models() -> Iterator[tuple[str, bytes, str]]:
    good = bytes(regressor(stump()).SerializeToString())
    yield "deep_nesting", _nested(3_000), "model_not_onnx"
    yield "length_beyond_the_end", good + b"\x3a\xff\xff\xff\xff\x07", "model_not_onnx"
    yield "endless_varint", b"\xff" * 2_000_000, "model_not_onnx"
    yield "two_models", good + good, "model_invalid_graph model_invalid_tree"
    yield "text", b"ir_version: 8\ngraph { }\n" * 1_000, "model_not_onnx"
    yield "zeros", bytes(10_000_000), "model_not_onnx"


def _nested(depth: int) -> bytes:
    """Return graphs within attributes within graphs, by hand: protobuf's own writer would not go so deep."""
    inner = b""
    for _ in range(depth):
        inner = _field(1, _field(5, _field(6, inner)))
        if len(inner) > 1_000_000:
            break
    return _field(7, inner)


def _field(number: int, content: bytes) -> bytes:
    length, size = b"", len(content)
    while size > 0x7F:  # seven bits a byte
        length, size = length + bytes([size & 0x7F | 0x80]), size >> 7
    return bytes([number << 3 | 2]) + length + bytes([size]) + content


def _changed(change: Callable[[ModelProto], object]) -> bytes:
    model = regressor(stump())
    change(model)
    return bytes(model.SerializeToString())


def _with_initializer(tensor: TensorProto) -> bytes:
    return _changed(lambda model: model.graph.initializer.append(tensor))


def _stump_with(**changes: Any) -> bytes:  # attributes of any type
    attributes = {name: value for name, value in {**stump(), **changes}.items() if value is not None}
    return bytes(regressor(attributes).SerializeToString())


def _before_trees(*nodes: NodeProto) -> bytes:
    return bytes(graph_of([*nodes, *regressor(stump()).graph.node]).SerializeToString())


def _into_trees(*nodes: NodeProto, last: str = "m") -> bytes:
    (trees,) = regressor(stump()).graph.node
    trees.input[0] = last
    return bytes(graph_of([*nodes, trees]).SerializeToString())


def _set_width(model: ModelProto, width: int) -> None:
    model.graph.input[0].type.tensor_type.shape.dim[1].dim_value = width


def _set_rows(model: ModelProto, n_rows: int) -> None:
    model.graph.input[0].type.tensor_type.shape.dim[0].dim_value = n_rows


def _inputs(n_inputs: int) -> list[onnx.ValueInfoProto]:
    return [helper.make_tensor_value_info(f"i{at}", TensorProto.FLOAT, [None, 1]) for at in range(n_inputs)]


def _fourth_node() -> dict[str, Any]:
    old = stump()
    names = ("nodes_treeids", "nodes_featureids", "nodes_values", "nodes_truenodeids", "nodes_falsenodeids")
    return {"nodes_nodeids": [0, 1, 2, 3], **{name: [*old[name], old[name][-1]] for name in names}}
