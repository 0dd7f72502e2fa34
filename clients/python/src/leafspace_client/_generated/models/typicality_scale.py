from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, cast

from attrs import define as _attrs_define

from ...records import Record
from ..types import UNSET, Unset

T = TypeVar("T", bound="TypicalityScale")


@_attrs_define(repr=False)
class TypicalityScale(Record):
    """How near rows are to their nearest prototype: what explanations compare a row with to say how typical it is.

    Attributes:
        rows (str): Rows that were used: those of the reference dataset, or of `evaluation_dataset`.
        n_rows (int): Number of these rows, the prototypes themselves left out.
        percentiles (list[float]): 101 proximities: the k-th, counted from 0, is the smallest that at least k % of the
            rows do not exceed. Empty if all rows are prototypes.
        caution (None | str | Unset): Why new rows may look less typical than they are; null without a reason to think
            so.
    """

    rows: str
    n_rows: int
    percentiles: list[float]
    caution: None | str | Unset = UNSET

    def to_dict(self) -> dict[str, Any]:
        rows = self.rows

        n_rows = self.n_rows

        percentiles = self.percentiles

        caution: None | str | Unset
        if isinstance(self.caution, Unset):
            caution = UNSET
        else:
            caution = self.caution

        field_dict: dict[str, Any] = {}

        field_dict.update(
            {
                "rows": rows,
                "n_rows": n_rows,
                "percentiles": percentiles,
            }
        )
        if caution is not UNSET:
            field_dict["caution"] = caution

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        rows = d.pop("rows")

        n_rows = d.pop("n_rows")

        percentiles = cast(list[float], d.pop("percentiles"))

        def _parse_caution(data: object) -> None | str | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(None | str | Unset, data)

        caution = _parse_caution(d.pop("caution", UNSET))

        typicality_scale = cls(
            rows=rows,
            n_rows=n_rows,
            percentiles=percentiles,
            caution=caution,
        )

        return typicality_scale
