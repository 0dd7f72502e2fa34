from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, cast

from attrs import define as _attrs_define

from ...records import Record

T = TypeVar("T", bound="RuleFeature")


@_attrs_define(repr=False)
class RuleFeature(Record):
    """A feature of raw rows that conditions refer to.

    Attributes:
        name (str): Name of the model's feature, to which `column` of conditions refers.
        type_ (str): Type of the feature's values; a boolean is compared as 1 (true) or 0.
        missing_text (None | str): Text that means a missing value, as null does; null where there is none.
    """

    name: str
    type_: str
    missing_text: None | str

    def to_dict(self) -> dict[str, Any]:
        name = self.name

        type_ = self.type_

        missing_text: None | str
        missing_text = self.missing_text

        field_dict: dict[str, Any] = {}

        field_dict.update(
            {
                "name": name,
                "type": type_,
                "missing_text": missing_text,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        name = d.pop("name")

        type_ = d.pop("type")

        def _parse_missing_text(data: object) -> None | str:
            if data is None:
                return data
            return cast(None | str, data)

        missing_text = _parse_missing_text(d.pop("missing_text"))

        rule_feature = cls(
            name=name,
            type_=type_,
            missing_text=missing_text,
        )

        return rule_feature
