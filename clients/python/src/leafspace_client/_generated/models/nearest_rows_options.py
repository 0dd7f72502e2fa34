from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, cast

from attrs import define as _attrs_define

from ...records import Record
from ..types import UNSET, Unset

T = TypeVar("T", bound="NearestRowsOptions")


@_attrs_define(repr=False)
class NearestRowsOptions(Record):
    """Which of the reference rows `nearest_rows` lists.

    Attributes:
        n_rows (int | Unset): Maximum number of rows; those that share no leaf with the explained row are left out.
            Default: 5.
        classes (list[str] | None | Unset): Only rows for which the model predicts one of these classes; null: of any.
            Not applicable to regression.
        max_per_group (int | None | Unset): Maximum number of rows of a group: from near to far, a row is passed over
            when its group has that many. Null: any number.
        group_by (None | str | Unset): Column of the reference dataset, such as one of households, whose value is the
            group of a row; rows without a value are one group. Null: the class that the model predicts.
        row_ids (list[str] | None | Unset): Only rows with these ids; null: all.
    """

    n_rows: int | Unset = 5
    classes: list[str] | None | Unset = UNSET
    max_per_group: int | None | Unset = UNSET
    group_by: None | str | Unset = UNSET
    row_ids: list[str] | None | Unset = UNSET

    def to_dict(self) -> dict[str, Any]:
        n_rows = self.n_rows

        classes: list[str] | None | Unset
        if isinstance(self.classes, Unset):
            classes = UNSET
        elif isinstance(self.classes, list):
            classes = self.classes

        else:
            classes = self.classes

        max_per_group: int | None | Unset
        if isinstance(self.max_per_group, Unset):
            max_per_group = UNSET
        else:
            max_per_group = self.max_per_group

        group_by: None | str | Unset
        if isinstance(self.group_by, Unset):
            group_by = UNSET
        else:
            group_by = self.group_by

        row_ids: list[str] | None | Unset
        if isinstance(self.row_ids, Unset):
            row_ids = UNSET
        elif isinstance(self.row_ids, list):
            row_ids = self.row_ids

        else:
            row_ids = self.row_ids

        field_dict: dict[str, Any] = {}

        field_dict.update({})
        if n_rows is not UNSET:
            field_dict["n_rows"] = n_rows
        if classes is not UNSET:
            field_dict["classes"] = classes
        if max_per_group is not UNSET:
            field_dict["max_per_group"] = max_per_group
        if group_by is not UNSET:
            field_dict["group_by"] = group_by
        if row_ids is not UNSET:
            field_dict["row_ids"] = row_ids

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        n_rows = d.pop("n_rows", UNSET)

        def _parse_classes(data: object) -> list[str] | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            try:
                if not isinstance(data, list):
                    raise TypeError()
                classes_type_0 = cast(list[str], data)

                return classes_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(list[str] | None | Unset, data)

        classes = _parse_classes(d.pop("classes", UNSET))

        def _parse_max_per_group(data: object) -> int | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(int | None | Unset, data)

        max_per_group = _parse_max_per_group(d.pop("max_per_group", UNSET))

        def _parse_group_by(data: object) -> None | str | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(None | str | Unset, data)

        group_by = _parse_group_by(d.pop("group_by", UNSET))

        def _parse_row_ids(data: object) -> list[str] | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            try:
                if not isinstance(data, list):
                    raise TypeError()
                row_ids_type_0 = cast(list[str], data)

                return row_ids_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(list[str] | None | Unset, data)

        row_ids = _parse_row_ids(d.pop("row_ids", UNSET))

        nearest_rows_options = cls(
            n_rows=n_rows,
            classes=classes,
            max_per_group=max_per_group,
            group_by=group_by,
            row_ids=row_ids,
        )

        return nearest_rows_options
