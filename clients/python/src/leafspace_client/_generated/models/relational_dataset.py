from __future__ import annotations

import datetime
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Literal, TypeVar, cast

from attrs import define as _attrs_define

from ...records import Record
from ..types import UNSET, Unset

if TYPE_CHECKING:
    from ..models.examples import Examples
    from ..models.relational_table import RelationalTable
    from ..models.relational_warning import RelationalWarning
    from ..models.relationship import Relationship


T = TypeVar("T", bound="RelationalDataset")


@_attrs_define(repr=False)
class RelationalDataset(Record):
    """A registered relational dataset.

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
        tables (list[RelationalTable]): All tables, in the order of the metadata.
        relationships (list[Relationship]): All foreign keys, in the order of the tables: declared ones first, then
            inferred ones.
        examples (Examples): Which rows are the examples, how many, and what is to be predicted of them.
        unused (list[str]): Names of the tables that no relationship leads to from the examples.
        warnings (list[RelationalWarning]): Reasons to look at the tables again; empty: there are none.
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
    tables: list[RelationalTable]
    relationships: list[Relationship]
    examples: Examples
    unused: list[str]
    warnings: list[RelationalWarning]
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

        tables = []
        for tables_item_data in self.tables:
            tables_item = tables_item_data.to_dict()
            tables.append(tables_item)

        relationships = []
        for relationships_item_data in self.relationships:
            relationships_item = relationships_item_data.to_dict()
            relationships.append(relationships_item)

        examples = self.examples.to_dict()

        unused = self.unused

        warnings = []
        for warnings_item_data in self.warnings:
            warnings_item = warnings_item_data.to_dict()
            warnings.append(warnings_item)

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
                "tables": tables,
                "relationships": relationships,
                "examples": examples,
                "unused": unused,
                "warnings": warnings,
            }
        )
        if object_ is not UNSET:
            field_dict["object"] = object_

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.examples import Examples  # noqa: PLC0415
        from ..models.relational_table import RelationalTable  # noqa: PLC0415
        from ..models.relational_warning import RelationalWarning  # noqa: PLC0415
        from ..models.relationship import Relationship  # noqa: PLC0415

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

        tables = []
        _tables = d.pop("tables")
        for tables_item_data in _tables:
            tables_item = RelationalTable.from_dict(tables_item_data)

            tables.append(tables_item)

        relationships = []
        _relationships = d.pop("relationships")
        for relationships_item_data in _relationships:
            relationships_item = Relationship.from_dict(relationships_item_data)

            relationships.append(relationships_item)

        examples = Examples.from_dict(d.pop("examples"))

        unused = cast(list[str], d.pop("unused"))

        warnings = []
        _warnings = d.pop("warnings")
        for warnings_item_data in _warnings:
            warnings_item = RelationalWarning.from_dict(warnings_item_data)

            warnings.append(warnings_item)

        object_ = cast(Literal["relational_dataset"] | Unset, d.pop("object", UNSET))
        if object_ != "relational_dataset" and not isinstance(object_, Unset):
            raise ValueError(f"object must match const 'relational_dataset', got '{object_}'")

        relational_dataset = cls(
            id=id,
            name=name,
            size_bytes=size_bytes,
            n_tables=n_tables,
            n_rows=n_rows,
            n_columns=n_columns,
            n_examples=n_examples,
            target=target,
            created_at=created_at,
            tables=tables,
            relationships=relationships,
            examples=examples,
            unused=unused,
            warnings=warnings,
            object_=object_,
        )

        return relational_dataset
