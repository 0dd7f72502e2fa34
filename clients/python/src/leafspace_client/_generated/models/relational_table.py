from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeVar, cast

from attrs import define as _attrs_define

from ...records import Record

if TYPE_CHECKING:
    from ..models.relational_column import RelationalColumn


T = TypeVar("T", bound="RelationalTable")


@_attrs_define(repr=False)
class RelationalTable(Record):
    """One table.

    Attributes:
        name (str): Name of the table.
        sha256 (str): SHA-256 of the uploaded file, in hexadecimal.
        size_bytes (int): Size of the uploaded file in bytes.
        n_rows (int): Number of rows; 0 for an empty table.
        primary_key (list[str]): Names of the columns that identify a row; empty: there are none.
        time (None | str): Name of the column with the moment at which a row became known; null: none.
        columns (list[RelationalColumn]): All columns, in the order of the file.
    """

    name: str
    sha256: str
    size_bytes: int
    n_rows: int
    primary_key: list[str]
    time: None | str
    columns: list[RelationalColumn]

    def to_dict(self) -> dict[str, Any]:
        name = self.name

        sha256 = self.sha256

        size_bytes = self.size_bytes

        n_rows = self.n_rows

        primary_key = self.primary_key

        time: None | str
        time = self.time

        columns = []
        for columns_item_data in self.columns:
            columns_item = columns_item_data.to_dict()
            columns.append(columns_item)

        field_dict: dict[str, Any] = {}

        field_dict.update(
            {
                "name": name,
                "sha256": sha256,
                "size_bytes": size_bytes,
                "n_rows": n_rows,
                "primary_key": primary_key,
                "time": time,
                "columns": columns,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.relational_column import RelationalColumn  # noqa: PLC0415

        d = dict(src_dict)
        name = d.pop("name")

        sha256 = d.pop("sha256")

        size_bytes = d.pop("size_bytes")

        n_rows = d.pop("n_rows")

        primary_key = cast(list[str], d.pop("primary_key"))

        def _parse_time(data: object) -> None | str:
            if data is None:
                return data
            return cast(None | str, data)

        time = _parse_time(d.pop("time"))

        columns = []
        _columns = d.pop("columns")
        for columns_item_data in _columns:
            columns_item = RelationalColumn.from_dict(columns_item_data)

            columns.append(columns_item)

        relational_table = cls(
            name=name,
            sha256=sha256,
            size_bytes=size_bytes,
            n_rows=n_rows,
            primary_key=primary_key,
            time=time,
            columns=columns,
        )

        return relational_table
