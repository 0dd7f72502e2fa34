from __future__ import annotations

import datetime
from collections.abc import Mapping
from typing import Any, Literal, TypeVar, cast

from attrs import define as _attrs_define

from ...records import Record
from ..types import UNSET, Unset

T = TypeVar("T", bound="RelationalDatasetSummary")


@_attrs_define(repr=False)
class RelationalDatasetSummary(Record):
    """A relational dataset in a list: without its columns.

    Attributes:
        id (str): Id of the dataset, derived from its files and metadata.
        name (None | str): Name from the metadata; null without one.
        size_bytes (int): Size of all uploaded files in bytes.
        n_tables (int): Number of tables.
        n_rows (int): Number of rows of all tables.
        n_columns (int): Number of columns of all tables.
        n_examples (int): Number of rows of the table of examples.
        target (None | str): Name of the target column; null without one.
        created_at (datetime.datetime): Time of creation, in UTC (RFC 3339).
        object_ (Literal['relational_dataset'] | Unset): Type of this object. Default: 'relational_dataset'.
    """

    id: str
    name: None | str
    size_bytes: int
    n_tables: int
    n_rows: int
    n_columns: int
    n_examples: int
    target: None | str
    created_at: datetime.datetime
    object_: Literal["relational_dataset"] | Unset = "relational_dataset"

    def to_dict(self) -> dict[str, Any]:
        id = self.id

        name: None | str
        name = self.name

        size_bytes = self.size_bytes

        n_tables = self.n_tables

        n_rows = self.n_rows

        n_columns = self.n_columns

        n_examples = self.n_examples

        target: None | str
        target = self.target

        created_at = self.created_at.isoformat()

        object_ = self.object_

        field_dict: dict[str, Any] = {}

        field_dict.update(
            {
                "id": id,
                "name": name,
                "size_bytes": size_bytes,
                "n_tables": n_tables,
                "n_rows": n_rows,
                "n_columns": n_columns,
                "n_examples": n_examples,
                "target": target,
                "created_at": created_at,
            }
        )
        if object_ is not UNSET:
            field_dict["object"] = object_

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        id = d.pop("id")

        def _parse_name(data: object) -> None | str:
            if data is None:
                return data
            return cast(None | str, data)

        name = _parse_name(d.pop("name"))

        size_bytes = d.pop("size_bytes")

        n_tables = d.pop("n_tables")

        n_rows = d.pop("n_rows")

        n_columns = d.pop("n_columns")

        n_examples = d.pop("n_examples")

        def _parse_target(data: object) -> None | str:
            if data is None:
                return data
            return cast(None | str, data)

        target = _parse_target(d.pop("target"))

        created_at = datetime.datetime.fromisoformat(d.pop("created_at"))

        object_ = cast(Literal["relational_dataset"] | Unset, d.pop("object", UNSET))
        if object_ != "relational_dataset" and not isinstance(object_, Unset):
            raise ValueError(f"object must match const 'relational_dataset', got '{object_}'")

        relational_dataset_summary = cls(
            id=id,
            name=name,
            size_bytes=size_bytes,
            n_tables=n_tables,
            n_rows=n_rows,
            n_columns=n_columns,
            n_examples=n_examples,
            target=target,
            created_at=created_at,
            object_=object_,
        )

        return relational_dataset_summary
