from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar

from attrs import define as _attrs_define

from ...records import Record
from ..models.generated_features_depth import GeneratedFeaturesDepth, check_generated_features_depth
from ..types import UNSET, Unset

T = TypeVar("T", bound="GeneratedFeatures")


@_attrs_define(repr=False)
class GeneratedFeatures(Record):
    """Which features are generated.

    Attributes:
        depth (GeneratedFeaturesDepth | Unset): Largest number of relationships between the example and the rows that
            are aggregated. Default: 1.
    """

    depth: GeneratedFeaturesDepth | Unset = 1

    def to_dict(self) -> dict[str, Any]:
        depth: int | Unset = UNSET
        if not isinstance(self.depth, Unset):
            depth = self.depth

        field_dict: dict[str, Any] = {}

        field_dict.update({})
        if depth is not UNSET:
            field_dict["depth"] = depth

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        _depth = d.pop("depth", UNSET)
        depth: GeneratedFeaturesDepth | Unset
        if isinstance(_depth, Unset):
            depth = UNSET
        else:
            depth = check_generated_features_depth(_depth)

        generated_features = cls(
            depth=depth,
        )

        return generated_features
