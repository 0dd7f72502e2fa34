from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, cast

from attrs import define as _attrs_define

from ...records import Record
from ..types import UNSET, Unset

T = TypeVar("T", bound="ProximitiesResult")


@_attrs_define(repr=False)
class ProximitiesResult(Record):
    """Statistics of all rows together; the neighbours themselves are in `/content`.

    Attributes:
        proximity_kind (str): How trees were weighted in the proximities; `euclidean`: rows were compared by plain
            distance.
        n_rows (int): Number of rows of the dataset.
        n_trees (int): Number of trees of the model; 0 of an oracle.
        n_trees_used (int | None): Number of trees that count in proximities: those cut back to a single leaf do not,
            nor do those of boosting whose values do not vary. Null by plain distance (`euclidean`).
        n_neighbors (int): Number of nearest rows of each row; less than the number of rows of the dataset.
        n_pairs (int): Number of neighbours of all rows together; a row that shares leaves with few others has fewer.
        mean_nearest_proximity (float): Mean over the rows of the proximity to the nearest other row.
        share_without_neighbors (float): Share of rows that share no leaf with any other.
        min_leaf_rows (int | None | Unset): The `min_leaf_rows` that was used: trees were cut back where a split left
            fewer reference rows on either side; 1: they were not cut. Null with `euclidean`, which knows no leaves.
            Default: 1.
    """

    proximity_kind: str
    n_rows: int
    n_trees: int
    n_trees_used: int | None
    n_neighbors: int
    n_pairs: int
    mean_nearest_proximity: float
    share_without_neighbors: float
    min_leaf_rows: int | None | Unset = 1

    def to_dict(self) -> dict[str, Any]:
        proximity_kind = self.proximity_kind

        n_rows = self.n_rows

        n_trees = self.n_trees

        n_trees_used: int | None
        n_trees_used = self.n_trees_used

        n_neighbors = self.n_neighbors

        n_pairs = self.n_pairs

        mean_nearest_proximity = self.mean_nearest_proximity

        share_without_neighbors = self.share_without_neighbors

        min_leaf_rows: int | None | Unset
        if isinstance(self.min_leaf_rows, Unset):
            min_leaf_rows = UNSET
        else:
            min_leaf_rows = self.min_leaf_rows

        field_dict: dict[str, Any] = {}

        field_dict.update(
            {
                "proximity_kind": proximity_kind,
                "n_rows": n_rows,
                "n_trees": n_trees,
                "n_trees_used": n_trees_used,
                "n_neighbors": n_neighbors,
                "n_pairs": n_pairs,
                "mean_nearest_proximity": mean_nearest_proximity,
                "share_without_neighbors": share_without_neighbors,
            }
        )
        if min_leaf_rows is not UNSET:
            field_dict["min_leaf_rows"] = min_leaf_rows

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        proximity_kind = d.pop("proximity_kind")

        n_rows = d.pop("n_rows")

        n_trees = d.pop("n_trees")

        def _parse_n_trees_used(data: object) -> int | None:
            if data is None:
                return data
            return cast(int | None, data)

        n_trees_used = _parse_n_trees_used(d.pop("n_trees_used"))

        n_neighbors = d.pop("n_neighbors")

        n_pairs = d.pop("n_pairs")

        mean_nearest_proximity = d.pop("mean_nearest_proximity")

        share_without_neighbors = d.pop("share_without_neighbors")

        def _parse_min_leaf_rows(data: object) -> int | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(int | None | Unset, data)

        min_leaf_rows = _parse_min_leaf_rows(d.pop("min_leaf_rows", UNSET))

        proximities_result = cls(
            proximity_kind=proximity_kind,
            n_rows=n_rows,
            n_trees=n_trees,
            n_trees_used=n_trees_used,
            n_neighbors=n_neighbors,
            n_pairs=n_pairs,
            mean_nearest_proximity=mean_nearest_proximity,
            share_without_neighbors=share_without_neighbors,
            min_leaf_rows=min_leaf_rows,
        )

        return proximities_result
