from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar

from attrs import define as _attrs_define

from ...records import Record

T = TypeVar("T", bound="ModelWarning")


@_attrs_define(repr=False)
class ModelWarning(Record):
    """What limits the explanations of a model.

    Attributes:
        code (str): Kind of the warning. `transformed_features`: trees test columns that cannot be mapped back to a raw
            feature, such as principal components; reasons are about these columns. `trees_decide_in_part`: an input reaches
            the predictions past the trees, such as by a linear member of a vote. `weighted_ensembles`: the graph weighs its
            ensembles otherwise than by their numbers of trees. `unused_ensembles`: ensembles that do not lead to the
            predictions are left out. `onnxruntime_differs`: predictions follow the ONNX specification, from which
            onnxruntime departs for this graph.
        detail (str): What it is about, with its figures: columns, shares, or numbers of rows.
    """

    code: str
    detail: str

    def to_dict(self) -> dict[str, Any]:
        code = self.code

        detail = self.detail

        field_dict: dict[str, Any] = {}

        field_dict.update(
            {
                "code": code,
                "detail": detail,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        code = d.pop("code")

        detail = d.pop("detail")

        model_warning = cls(
            code=code,
            detail=detail,
        )

        return model_warning
