"""Graphs read in outline: onnx's own messages, but nodes whose attributes stay the bytes that they are.

The attributes of tree operators are nearly all of a large graph, and would become millions of objects. A message keeps
fields that its type does not have, and writes them again.
"""

from functools import cache
from typing import Any

from google.protobuf.descriptor_pb2 import FileDescriptorProto  # type: ignore[import-untyped]  # ships no types
from google.protobuf.descriptor_pool import DescriptorPool  # type: ignore[import-untyped]
from google.protobuf.message_factory import GetMessageClass  # type: ignore[import-untyped]
from onnx import ModelProto, NodeProto


def graph_outline(graph: bytes) -> Any:  # a ``ModelProto`` without attributes
    """Return a graph that has been checked, without the attributes of its nodes, which are written with it again."""
    return _outline().FromString(graph)


@cache
def _outline() -> Any:
    described = FileDescriptorProto()
    ModelProto.DESCRIPTOR.file.CopyToProto(described)
    node = next(message for message in described.message_type if message.name == NodeProto.DESCRIPTOR.name)
    read = [field for field in node.field if field.name != "attribute"]
    del node.field[:]
    node.field.extend(read)
    pool = DescriptorPool()  # of its own, where the names are free
    pool.Add(described)
    return GetMessageClass(pool.FindMessageTypeByName(ModelProto.DESCRIPTOR.full_name))
