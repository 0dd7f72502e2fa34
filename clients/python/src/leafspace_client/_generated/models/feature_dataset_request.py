from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, cast

from attrs import define as _attrs_define

from ...records import Record
from ..types import UNSET, Unset

T = TypeVar("T", bound="FeatureDatasetRequest")


@_attrs_define(repr=False)
class FeatureDatasetRequest(Record):
    """The rows of which a feature set makes a dataset.

    Attributes:
        relational_dataset (None | str | Unset): Id of a relational dataset that has the tables and columns of the
            feature set's own; null: its own.
    """

    relational_dataset: None | str | Unset = UNSET

    def to_dict(self) -> dict[str, Any]:
        relational_dataset: None | str | Unset
        if isinstance(self.relational_dataset, Unset):
            relational_dataset = UNSET
        else:
            relational_dataset = self.relational_dataset

        field_dict: dict[str, Any] = {}

        field_dict.update({})
        if relational_dataset is not UNSET:
            field_dict["relational_dataset"] = relational_dataset

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)

        def _parse_relational_dataset(data: object) -> None | str | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(None | str | Unset, data)

        relational_dataset = _parse_relational_dataset(d.pop("relational_dataset", UNSET))

        feature_dataset_request = cls(
            relational_dataset=relational_dataset,
        )

        return feature_dataset_request
