from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeVar, cast

from attrs import define as _attrs_define

from ...records import Record

if TYPE_CHECKING:
    from ..models.share_comparison import ShareComparison


T = TypeVar("T", bound="DriftShare")


@_attrs_define(repr=False)
class DriftShare(Record):
    """A group of rows: how many there are, and how many of them are far, beside the reference rows of the group.

    Attributes:
        name (str): Label that the model predicts, or id of the nearest prototype's row.
        n_rows (int): Number of newer rows in the group.
        n_far (int): Number of these that are `far` by typicality, or share no leaf with a prototype.
        n_reference_rows (int): Number of reference rows in the group.
        n_reference_far (int): Number of these that are far.
        far (ShareComparison): A share of the newer rows beside the same share of the reference rows, as if both were
            drawn independently.
        group (None | ShareComparison): Share of all rows that are in the group; null of all rows.
    """

    name: str
    n_rows: int
    n_far: int
    n_reference_rows: int
    n_reference_far: int
    far: ShareComparison
    group: None | ShareComparison

    def to_dict(self) -> dict[str, Any]:
        from ..models.share_comparison import ShareComparison  # noqa: PLC0415

        name = self.name

        n_rows = self.n_rows

        n_far = self.n_far

        n_reference_rows = self.n_reference_rows

        n_reference_far = self.n_reference_far

        far = self.far.to_dict()

        group: dict[str, Any] | None
        if isinstance(self.group, ShareComparison):
            group = self.group.to_dict()
        else:
            group = self.group

        field_dict: dict[str, Any] = {}

        field_dict.update(
            {
                "name": name,
                "n_rows": n_rows,
                "n_far": n_far,
                "n_reference_rows": n_reference_rows,
                "n_reference_far": n_reference_far,
                "far": far,
                "group": group,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.share_comparison import ShareComparison  # noqa: PLC0415

        d = dict(src_dict)
        name = d.pop("name")

        n_rows = d.pop("n_rows")

        n_far = d.pop("n_far")

        n_reference_rows = d.pop("n_reference_rows")

        n_reference_far = d.pop("n_reference_far")

        far = ShareComparison.from_dict(d.pop("far"))

        def _parse_group(data: object) -> None | ShareComparison:
            if data is None:
                return data
            try:
                if not isinstance(data, dict):
                    raise TypeError()
                group_type_0 = ShareComparison.from_dict(data)

                return group_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(None | ShareComparison, data)

        group = _parse_group(d.pop("group"))

        drift_share = cls(
            name=name,
            n_rows=n_rows,
            n_far=n_far,
            n_reference_rows=n_reference_rows,
            n_reference_far=n_reference_far,
            far=far,
            group=group,
        )

        return drift_share
