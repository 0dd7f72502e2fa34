"""The Open Inference Protocol, version 2, as KServe and Triton define it: what their clients send over HTTP.

Answers are written as plain values. Fields that a client adds and nothing here reads, such as the name of the model,
which stands in the path, are ignored: the protocol is not ours to close.
"""

from typing import Annotated, Any, Literal

from pydantic import ConfigDict, Field, StringConstraints

from .contract import Contract, Many

Parameters = dict[str, Any]
TensorName = Annotated[str, StringConstraints(min_length=1, max_length=255)]
Datatype = Literal[
    "BOOL", "UINT8", "UINT16", "UINT32", "UINT64", "INT8", "INT16", "INT32", "INT64", "FP16", "FP32", "FP64", "BYTES"
]


class ForeignMessage(Contract):
    """A message whose form others decide: fields that are not declared here are ignored."""

    model_config = ConfigDict(extra="ignore")


class InputTensor(ForeignMessage):
    """One column of the rows."""

    name: TensorName = Field(description="Name of the feature.")
    shape: Annotated[list[int], Field(min_length=1, max_length=2)] = Field(
        description="Number of rows, or number of rows and 1."
    )
    datatype: Datatype = Field(description="Type of the values: BYTES for categories, any other for numbers.")
    parameters: Parameters = Field(default={}, description="`binary_data_size`: bytes behind the JSON that hold it.")
    data: Many[Any] | None = Field(default=None, description="Values, or lists of one; null is a missing value.")


class RequestedOutput(ForeignMessage):
    """One tensor that the answer is to hold."""

    name: TensorName = Field(description="Name of the tensor.")
    parameters: Parameters = Field(default={}, description="`binary_data`: whether it is sent behind the JSON.")


class InferenceRequest(ForeignMessage):
    """Rows to predict and explain, column by column."""

    id: str | None = Field(default=None, max_length=255, description="Id of the request, returned as it came.")
    parameters: Parameters = Field(
        default={},
        description="`binary_data_output`, and fields of a request for explanations: `n_prototypes`, say.",
    )
    inputs: Many[InputTensor] = Field(min_length=1, description="One tensor for each feature of the model.")
    outputs: Many[RequestedOutput] | None = Field(default=None, description="Tensors of the answer; default: all.")
