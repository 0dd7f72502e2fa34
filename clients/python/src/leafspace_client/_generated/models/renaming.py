from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, cast

from attrs import define as _attrs_define

from ...records import Record

T = TypeVar("T", bound="Renaming")


@_attrs_define(repr=False)
class Renaming(Record):
    """Another name for something that keeps its id.

    Attributes:
        name (None | str): The new name; null removes the one that it has.
    """

    name: None | str

    def to_dict(self) -> dict[str, Any]:
        name: None | str
        name = self.name

        field_dict: dict[str, Any] = {}

        field_dict.update(
            {
                "name": name,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)

        def _parse_name(data: object) -> None | str:
            if data is None:
                return data
            return cast(None | str, data)

        name = _parse_name(d.pop("name"))

        renaming = cls(
            name=name,
        )

        return renaming
