from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar

from attrs import define as _attrs_define

from ...records import Record

T = TypeVar("T", bound="DatasetFiles")


@_attrs_define(repr=False)
class DatasetFiles(Record):
    """Where the files of a dataset by reference lie.

    Attributes:
        files (str): Address of Parquet, CSV or JSON files below a folder or bucket that the service may read:
            `s3://bucket/folder/*.parquet` or `file:///folder/*.parquet`. A star matches any characters of one segment,
            which may be a folder, too; at most 100,000 files have the address.
    """

    files: str

    def to_dict(self) -> dict[str, Any]:
        files = self.files

        field_dict: dict[str, Any] = {}

        field_dict.update(
            {
                "files": files,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        files = d.pop("files")

        dataset_files = cls(
            files=files,
        )

        return dataset_files
