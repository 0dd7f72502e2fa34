from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeVar, cast

from attrs import define as _attrs_define

from ...records import Record
from ..types import UNSET, Unset

if TYPE_CHECKING:
    from ..models.foreign_key_metadata import ForeignKeyMetadata


T = TypeVar("T", bound="RelationalTableMetadata")


@_attrs_define(repr=False)
class RelationalTableMetadata(Record):
    """The keys of one table, and when its rows became known.

    Attributes:
        name (str): Name of the table: that of its file, without the suffix.
        primary_key (list[str] | None | Unset): Names of the columns that identify a row. Null: inferred where
            `infer_keys` is true, namely the column `id`, `<table>_id` or `<table>` (the first of these) if each row has a
            value of its own there; else none.
        foreign_keys (list[ForeignKeyMetadata] | Unset): Columns that name rows of other tables, beside those that are
            inferred.
        time (None | str | Unset): Name of the column with the moment at which a row became known, as numbers or as ISO
            8601 dates or times (in UTC where they name no zone); null: its rows were always known.
        categories (list[str] | Unset): Names of columns that hold codes, such as 7 for aromatic, and are read as
            categories even where all values are numbers.
    """

    name: str
    primary_key: list[str] | None | Unset = UNSET
    foreign_keys: list[ForeignKeyMetadata] | Unset = UNSET
    time: None | str | Unset = UNSET
    categories: list[str] | Unset = UNSET

    def to_dict(self) -> dict[str, Any]:
        name = self.name

        primary_key: list[str] | None | Unset
        if isinstance(self.primary_key, Unset):
            primary_key = UNSET
        elif isinstance(self.primary_key, list):
            primary_key = self.primary_key

        else:
            primary_key = self.primary_key

        foreign_keys: list[dict[str, Any]] | Unset = UNSET
        if not isinstance(self.foreign_keys, Unset):
            foreign_keys = []
            for foreign_keys_item_data in self.foreign_keys:
                foreign_keys_item = foreign_keys_item_data.to_dict()
                foreign_keys.append(foreign_keys_item)

        time: None | str | Unset
        if isinstance(self.time, Unset):
            time = UNSET
        else:
            time = self.time

        categories: list[str] | Unset = UNSET
        if not isinstance(self.categories, Unset):
            categories = self.categories

        field_dict: dict[str, Any] = {}

        field_dict.update(
            {
                "name": name,
            }
        )
        if primary_key is not UNSET:
            field_dict["primary_key"] = primary_key
        if foreign_keys is not UNSET:
            field_dict["foreign_keys"] = foreign_keys
        if time is not UNSET:
            field_dict["time"] = time
        if categories is not UNSET:
            field_dict["categories"] = categories

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.foreign_key_metadata import ForeignKeyMetadata  # noqa: PLC0415

        d = dict(src_dict)
        name = d.pop("name")

        def _parse_primary_key(data: object) -> list[str] | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            try:
                if not isinstance(data, list):
                    raise TypeError()
                primary_key_type_0 = cast(list[str], data)

                return primary_key_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(list[str] | None | Unset, data)

        primary_key = _parse_primary_key(d.pop("primary_key", UNSET))

        _foreign_keys = d.pop("foreign_keys", UNSET)
        foreign_keys: list[ForeignKeyMetadata] | Unset = UNSET
        if _foreign_keys is not UNSET:
            foreign_keys = []
            for foreign_keys_item_data in _foreign_keys:
                foreign_keys_item = ForeignKeyMetadata.from_dict(foreign_keys_item_data)

                foreign_keys.append(foreign_keys_item)

        def _parse_time(data: object) -> None | str | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(None | str | Unset, data)

        time = _parse_time(d.pop("time", UNSET))

        categories = cast(list[str], d.pop("categories", UNSET))

        relational_table_metadata = cls(
            name=name,
            primary_key=primary_key,
            foreign_keys=foreign_keys,
            time=time,
            categories=categories,
        )

        return relational_table_metadata
