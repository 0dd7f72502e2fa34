from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, cast

from attrs import define as _attrs_define

from ...records import Record
from ..types import UNSET, Unset

T = TypeVar("T", bound="ExamplesMetadata")


@_attrs_define(repr=False)
class ExamplesMetadata(Record):
    """Which rows are the examples, what is to be predicted of them, and from when on they know nothing.

    Attributes:
        table (str): Name of the table whose rows are the examples.
        target (None | str | Unset): Name of its column with the labels or values to predict, which may be missing;
            null: none. It is never tested, on any path.
        cutoff (None | str | Unset): Name of its column with the moment of the prediction: of tables with a `time`, an
            example sees only rows before it. Null: it sees all.
    """

    table: str
    target: None | str | Unset = UNSET
    cutoff: None | str | Unset = UNSET

    def to_dict(self) -> dict[str, Any]:
        table = self.table

        target: None | str | Unset
        if isinstance(self.target, Unset):
            target = UNSET
        else:
            target = self.target

        cutoff: None | str | Unset
        if isinstance(self.cutoff, Unset):
            cutoff = UNSET
        else:
            cutoff = self.cutoff

        field_dict: dict[str, Any] = {}

        field_dict.update(
            {
                "table": table,
            }
        )
        if target is not UNSET:
            field_dict["target"] = target
        if cutoff is not UNSET:
            field_dict["cutoff"] = cutoff

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        table = d.pop("table")

        def _parse_target(data: object) -> None | str | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(None | str | Unset, data)

        target = _parse_target(d.pop("target", UNSET))

        def _parse_cutoff(data: object) -> None | str | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(None | str | Unset, data)

        cutoff = _parse_cutoff(d.pop("cutoff", UNSET))

        examples_metadata = cls(
            table=table,
            target=target,
            cutoff=cutoff,
        )

        return examples_metadata
