from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, cast

from attrs import define as _attrs_define

from ...records import Record

T = TypeVar("T", bound="ModelEngine")


@_attrs_define(repr=False)
class ModelEngine(Record):
    """What finds the leaves and predictions of many rows: of datasets, and of the rows that jobs make.

    Attributes:
        name (str): `walker`: compiled loops of the service's own, compared with onnxruntime on rows at the trees'
            thresholds before they are used; `onnxruntime`: the runtime alone. Leaves, scores and labels are the same, and
            single rows are always onnxruntime's.
        reason (None | str): Why it is onnxruntime; null for the walker.
    """

    name: str
    reason: None | str

    def to_dict(self) -> dict[str, Any]:
        name = self.name

        reason: None | str
        reason = self.reason

        field_dict: dict[str, Any] = {}

        field_dict.update(
            {
                "name": name,
                "reason": reason,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        name = d.pop("name")

        def _parse_reason(data: object) -> None | str:
            if data is None:
                return data
            return cast(None | str, data)

        reason = _parse_reason(d.pop("reason"))

        model_engine = cls(
            name=name,
            reason=reason,
        )

        return model_engine
