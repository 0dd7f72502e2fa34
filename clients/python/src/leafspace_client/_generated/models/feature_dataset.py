from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal, TypeVar, cast

from attrs import define as _attrs_define

from ...records import Record
from ..types import UNSET, Unset

T = TypeVar("T", bound="FeatureDataset")


@_attrs_define(repr=False)
class FeatureDataset(Record):
    """The dataset that a feature set makes of a relational dataset, and the job that makes it.

    Attributes:
        dataset (str): Id of the dataset, which exists once the status is `ready`.
        status (str): `pending` while its job is queued or running.
        job (None | str): Id of the job that makes it; null once it is ready.
        object_ (Literal['feature_dataset'] | Unset): Type of this object. Default: 'feature_dataset'.
    """

    dataset: str
    status: str
    job: None | str
    object_: Literal["feature_dataset"] | Unset = "feature_dataset"

    def to_dict(self) -> dict[str, Any]:
        dataset = self.dataset

        status = self.status

        job: None | str
        job = self.job

        object_ = self.object_

        field_dict: dict[str, Any] = {}

        field_dict.update(
            {
                "dataset": dataset,
                "status": status,
                "job": job,
            }
        )
        if object_ is not UNSET:
            field_dict["object"] = object_

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        dataset = d.pop("dataset")

        status = d.pop("status")

        def _parse_job(data: object) -> None | str:
            if data is None:
                return data
            return cast(None | str, data)

        job = _parse_job(d.pop("job"))

        object_ = cast(Literal["feature_dataset"] | Unset, d.pop("object", UNSET))
        if object_ != "feature_dataset" and not isinstance(object_, Unset):
            raise ValueError(f"object must match const 'feature_dataset', got '{object_}'")

        feature_dataset = cls(
            dataset=dataset,
            status=status,
            job=job,
            object_=object_,
        )

        return feature_dataset
