from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeVar, cast

from attrs import define as _attrs_define

from ...records import Record
from ..types import UNSET, Unset

if TYPE_CHECKING:
    from ..models.examples_metadata import ExamplesMetadata
    from ..models.relational_table_metadata import RelationalTableMetadata


T = TypeVar("T", bound="RelationalDatasetMetadata")


@_attrs_define(repr=False)
class RelationalDatasetMetadata(Record):
    """The tables of a relational dataset and how they refer to each other.

    Attributes:
        examples (ExamplesMetadata): Which rows are the examples, what is to be predicted of them, and from when on they
            know nothing.
        tables (list[RelationalTableMetadata]): All tables, each with a file of its name.
        name (None | str | Unset): Name of the dataset, shown in lists; null: none.
        infer_keys (bool | Unset): Whether keys that are not declared are inferred: a column is taken for a foreign key
            if it is called as another table's primary key (unless that is called `id`) or `<table>_<key>`, is not itself
            the primary key of its table, and all its values occur there. Default: True.
    """

    examples: ExamplesMetadata
    tables: list[RelationalTableMetadata]
    name: None | str | Unset = UNSET
    infer_keys: bool | Unset = True

    def to_dict(self) -> dict[str, Any]:
        examples = self.examples.to_dict()

        tables = []
        for tables_item_data in self.tables:
            tables_item = tables_item_data.to_dict()
            tables.append(tables_item)

        name: None | str | Unset
        if isinstance(self.name, Unset):
            name = UNSET
        else:
            name = self.name

        infer_keys = self.infer_keys

        field_dict: dict[str, Any] = {}

        field_dict.update(
            {
                "examples": examples,
                "tables": tables,
            }
        )
        if name is not UNSET:
            field_dict["name"] = name
        if infer_keys is not UNSET:
            field_dict["infer_keys"] = infer_keys

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.examples_metadata import ExamplesMetadata  # noqa: PLC0415
        from ..models.relational_table_metadata import RelationalTableMetadata  # noqa: PLC0415

        d = dict(src_dict)
        examples = ExamplesMetadata.from_dict(d.pop("examples"))

        tables = []
        _tables = d.pop("tables")
        for tables_item_data in _tables:
            tables_item = RelationalTableMetadata.from_dict(tables_item_data)

            tables.append(tables_item)

        def _parse_name(data: object) -> None | str | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(None | str | Unset, data)

        name = _parse_name(d.pop("name", UNSET))

        infer_keys = d.pop("infer_keys", UNSET)

        relational_dataset_metadata = cls(
            examples=examples,
            tables=tables,
            name=name,
            infer_keys=infer_keys,
        )

        return relational_dataset_metadata
