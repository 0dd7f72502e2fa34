from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar

from attrs import define as _attrs_define

from ...records import Record
from ..types import UNSET, Unset

T = TypeVar("T", bound="RowWarning")


@_attrs_define(repr=False)
class RowWarning(Record):
    """A reason to read an explanation with care.

    Attributes:
        code (str): What is unusual: `near_tie` (rounding may have decided the label), `unseen_category` (no reference
            row has it), `outside_reference_range` (of the values of all reference rows), `transformed_features` (reasons
            name columns of the model that are not raw features); codes may be added.
        detail (str): The same as an English sentence.
        feature (str | Unset): Feature that is concerned; absent where it is none in particular. Ten are named of each
            code, others counted.
    """

    code: str
    detail: str
    feature: str | Unset = UNSET

    def to_dict(self) -> dict[str, Any]:
        code = self.code

        detail = self.detail

        feature = self.feature

        field_dict: dict[str, Any] = {}

        field_dict.update(
            {
                "code": code,
                "detail": detail,
            }
        )
        if feature is not UNSET:
            field_dict["feature"] = feature

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        code = d.pop("code")

        detail = d.pop("detail")

        feature = d.pop("feature", UNSET)

        row_warning = cls(
            code=code,
            detail=detail,
            feature=feature,
        )

        return row_warning
