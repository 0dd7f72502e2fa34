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
        settings (str | Unset): `paper`: the fields that are left out have the values of the method's paper, as
            docs/methods.md lists them, instead of these defaults, fields of fields included; what is given, null included,
            stands, but for `method: auto`, which leaves the method to the word, too. Answers show the fields that result,
            so that the id is that of the same request in full. Absent: the defaults.
        relational_dataset (None | str | Unset): Id of a relational dataset that has the tables and columns of the
            feature set's own; null: its own.
    """

    settings: str | Unset = UNSET
    relational_dataset: None | str | Unset = UNSET

    def to_dict(self) -> dict[str, Any]:
        settings = self.settings

        relational_dataset: None | str | Unset
        if isinstance(self.relational_dataset, Unset):
            relational_dataset = UNSET
        else:
            relational_dataset = self.relational_dataset

        field_dict: dict[str, Any] = {}

        field_dict.update({})
        if settings is not UNSET:
            field_dict["settings"] = settings
        if relational_dataset is not UNSET:
            field_dict["relational_dataset"] = relational_dataset

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        settings = d.pop("settings", UNSET)

        def _parse_relational_dataset(data: object) -> None | str | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(None | str | Unset, data)

        relational_dataset = _parse_relational_dataset(d.pop("relational_dataset", UNSET))

        feature_dataset_request = cls(
            settings=settings,
            relational_dataset=relational_dataset,
        )

        return feature_dataset_request
