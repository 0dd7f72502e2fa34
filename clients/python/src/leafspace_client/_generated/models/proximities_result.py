from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar

from attrs import define as _attrs_define

from ...records import Record

T = TypeVar("T", bound="ProximitiesResult")


@_attrs_define(repr=False)
class ProximitiesResult(Record):
    """Statistics of all rows together; the neighbours themselves are in `/content`.

    Attributes:
        proximity_kind (str): How trees were weighted in the proximities.
        n_rows (int): Number of rows of the dataset.
        n_trees (int): Number of trees of the model.
        n_neighbors (int): Number of nearest rows of each row; less than the number of rows of the dataset.
        n_pairs (int): Number of neighbours of all rows together; a row that shares leaves with few others has fewer.
        mean_nearest_proximity (float): Mean over the rows of the proximity to the nearest other row.
        share_without_neighbors (float): Share of rows that share no leaf with any other.
    """

    proximity_kind: str
    n_rows: int
    n_trees: int
    n_neighbors: int
    n_pairs: int
    mean_nearest_proximity: float
    share_without_neighbors: float

    def to_dict(self) -> dict[str, Any]:
        proximity_kind = self.proximity_kind

        n_rows = self.n_rows

        n_trees = self.n_trees

        n_neighbors = self.n_neighbors

        n_pairs = self.n_pairs

        mean_nearest_proximity = self.mean_nearest_proximity

        share_without_neighbors = self.share_without_neighbors

        field_dict: dict[str, Any] = {}

        field_dict.update(
            {
                "proximity_kind": proximity_kind,
                "n_rows": n_rows,
                "n_trees": n_trees,
                "n_neighbors": n_neighbors,
                "n_pairs": n_pairs,
                "mean_nearest_proximity": mean_nearest_proximity,
                "share_without_neighbors": share_without_neighbors,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        proximity_kind = d.pop("proximity_kind")

        n_rows = d.pop("n_rows")

        n_trees = d.pop("n_trees")

        n_neighbors = d.pop("n_neighbors")

        n_pairs = d.pop("n_pairs")

        mean_nearest_proximity = d.pop("mean_nearest_proximity")

        share_without_neighbors = d.pop("share_without_neighbors")

        proximities_result = cls(
            proximity_kind=proximity_kind,
            n_rows=n_rows,
            n_trees=n_trees,
            n_neighbors=n_neighbors,
            n_pairs=n_pairs,
            mean_nearest_proximity=mean_nearest_proximity,
            share_without_neighbors=share_without_neighbors,
        )

        return proximities_result
