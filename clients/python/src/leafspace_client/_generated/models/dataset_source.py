from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar

from attrs import define as _attrs_define

from ...records import Record

T = TypeVar("T", bound="DatasetSource")


@_attrs_define(repr=False)
class DatasetSource(Record):
    """The files of a dataset by reference, as they were when it was registered.

    Attributes:
        files (str): Address of the files.
        n_files (int): Number of files.
    """

    files: str
    n_files: int

    def to_dict(self) -> dict[str, Any]:
        files = self.files

        n_files = self.n_files

        field_dict: dict[str, Any] = {}

        field_dict.update(
            {
                "files": files,
                "n_files": n_files,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        files = d.pop("files")

        n_files = d.pop("n_files")

        dataset_source = cls(
            files=files,
            n_files=n_files,
        )

        return dataset_source
