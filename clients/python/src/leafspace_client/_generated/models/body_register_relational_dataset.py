from __future__ import annotations

from collections.abc import Mapping
from io import BytesIO
from typing import Any, TypeVar

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ...records import Record
from .. import types
from ..types import File

T = TypeVar("T", bound="BodyRegisterRelationalDataset")


@_attrs_define(repr=False)
class BodyRegisterRelationalDataset(Record):
    """
    Attributes:
        file (list[File]): One file for each table: CSV, Parquet or JSON rows, distinguished by content. The file's name
            without its suffix is the table's name; characters that forms or folders would change, such as quotes and
            slashes, are percent-encoded (`%22`, `%2F`).
        metadata (str): JSON text, as `RelationalDatasetMetadata` describes it.
    """

    file: list[File]
    metadata: str
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        file = []
        for file_item_data in self.file:
            file_item = file_item_data.to_tuple()

            file.append(file_item)

        metadata = self.metadata

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "file": file,
                "metadata": metadata,
            }
        )

        return field_dict

    def to_multipart(self) -> types.RequestFiles:
        files: types.RequestFiles = []

        for file_item_element in self.file:
            files.append(("file", file_item_element.to_tuple()))

        files.append(("metadata", (None, str(self.metadata).encode(), "text/plain")))

        for prop_name, prop in self.additional_properties.items():
            files.append((prop_name, (None, str(prop).encode(), "text/plain")))

        return files

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        file = []
        _file = d.pop("file")
        for file_item_data in _file:
            file_item = File(payload=BytesIO(file_item_data))

            file.append(file_item)

        metadata = d.pop("metadata")

        body_register_relational_dataset = cls(
            file=file,
            metadata=metadata,
        )

        body_register_relational_dataset.additional_properties = d
        return body_register_relational_dataset

    @property
    def additional_keys(self) -> list[str]:
        return list(self.additional_properties.keys())

    def __getitem__(self, key: str) -> Any:
        return self.additional_properties[key]

    def __setitem__(self, key: str, value: Any) -> None:
        self.additional_properties[key] = value

    def __delitem__(self, key: str) -> None:
        del self.additional_properties[key]

    def __contains__(self, key: str) -> bool:
        return key in self.additional_properties
