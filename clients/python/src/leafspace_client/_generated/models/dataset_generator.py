from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar

from attrs import define as _attrs_define

from ...records import Record

T = TypeVar("T", bound="DatasetGenerator")


@_attrs_define(repr=False)
class DatasetGenerator(Record):
    """Rows of another dataset, whose labels are not used.

    Attributes:
        method (str): Rows of another dataset, drawn with replacement.
        dataset (str): Id of a dataset that has every feature that the model reads. Where none of its rows reaches a
            node, the reference dataset's rows are drawn.
    """

    method: str
    dataset: str

    def to_dict(self) -> dict[str, Any]:
        method = self.method

        dataset = self.dataset

        field_dict: dict[str, Any] = {}

        field_dict.update(
            {
                "method": method,
                "dataset": dataset,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        method = d.pop("method")

        dataset = d.pop("dataset")

        dataset_generator = cls(
            method=method,
            dataset=dataset,
        )

        return dataset_generator
