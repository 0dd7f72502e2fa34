from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeVar, cast

from attrs import define as _attrs_define

from ...records import Record

if TYPE_CHECKING:
    from ..models.map_preview import MapPreview


T = TypeVar("T", bound="MapResult")


@_attrs_define(repr=False)
class MapResult(Record):
    """How the map was made, and how far it can be trusted; its rows are in `/content`.

    Attributes:
        proximity_kind (str): How trees were weighted in the proximities.
        task (str): What the model predicts.
        classes (list[str]): Classes in the order of the model's scores; empty for regression.
        n_rows (int): Number of rows of the dataset.
        n_trees (int): Number of trees of the model; 0 of an oracle.
        min_leaf_rows (int): The `min_leaf_rows` that was used: trees were cut back where a split left fewer reference
            rows on either side; 1: they were not cut.
        n_trees_used (int | None): Number of trees that count in proximities: those cut back to a single leaf do not,
            nor do those of boosting whose values do not vary. Null by plain distance (`euclidean`).
        n_rows_shown (int): Number of rows on the map.
        n_prototypes (int): Number of prototypes on the map.
        n_neighbors (int): Number of nearest rows that hold each row in its place.
        neighbors_kept (float | None): Mean share of a row's ten nearest in leaf space that are among its ten nearest on
            the map; null if no row shares a leaf with another.
        trustworthiness (float): How few of a row's ten nearest on the map are far from it in leaf space (Venna and
            Kaski, 2001), 0 to 1: 1 where none is. Rows of equal proximity share the best rank; see
            `trustworthiness_by_chance`.
        neighbors_kept_by_chance (float | None): `neighbors_kept` of the same rows when the places are shuffled among
            the rows; null likewise.
        trustworthiness_by_chance (float): `trustworthiness` of the same rows when the places are shuffled among the
            rows, 0 to 1: far above 0.5 where many rows are equally near in leaf space, as in forests with small leaves.
        n_rows_evaluated (int): Number of rows on which these figures were measured.
        preview (MapPreview): Some of the map's rows, for a small picture: lists of the same length, an item for each
            row.
        caution (str): What the map does not show, in words.
    """

    proximity_kind: str
    task: str
    classes: list[str]
    n_rows: int
    n_trees: int
    min_leaf_rows: int
    n_trees_used: int | None
    n_rows_shown: int
    n_prototypes: int
    n_neighbors: int
    neighbors_kept: float | None
    trustworthiness: float
    neighbors_kept_by_chance: float | None
    trustworthiness_by_chance: float
    n_rows_evaluated: int
    preview: MapPreview
    caution: str

    def to_dict(self) -> dict[str, Any]:
        proximity_kind = self.proximity_kind

        task = self.task

        classes = self.classes

        n_rows = self.n_rows

        n_trees = self.n_trees

        min_leaf_rows = self.min_leaf_rows

        n_trees_used: int | None
        n_trees_used = self.n_trees_used

        n_rows_shown = self.n_rows_shown

        n_prototypes = self.n_prototypes

        n_neighbors = self.n_neighbors

        neighbors_kept: float | None
        neighbors_kept = self.neighbors_kept

        trustworthiness = self.trustworthiness

        neighbors_kept_by_chance: float | None
        neighbors_kept_by_chance = self.neighbors_kept_by_chance

        trustworthiness_by_chance = self.trustworthiness_by_chance

        n_rows_evaluated = self.n_rows_evaluated

        preview = self.preview.to_dict()

        caution = self.caution

        field_dict: dict[str, Any] = {}

        field_dict.update(
            {
                "proximity_kind": proximity_kind,
                "task": task,
                "classes": classes,
                "n_rows": n_rows,
                "n_trees": n_trees,
                "min_leaf_rows": min_leaf_rows,
                "n_trees_used": n_trees_used,
                "n_rows_shown": n_rows_shown,
                "n_prototypes": n_prototypes,
                "n_neighbors": n_neighbors,
                "neighbors_kept": neighbors_kept,
                "trustworthiness": trustworthiness,
                "neighbors_kept_by_chance": neighbors_kept_by_chance,
                "trustworthiness_by_chance": trustworthiness_by_chance,
                "n_rows_evaluated": n_rows_evaluated,
                "preview": preview,
                "caution": caution,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.map_preview import MapPreview  # noqa: PLC0415

        d = dict(src_dict)
        proximity_kind = d.pop("proximity_kind")

        task = d.pop("task")

        classes = cast(list[str], d.pop("classes"))

        n_rows = d.pop("n_rows")

        n_trees = d.pop("n_trees")

        min_leaf_rows = d.pop("min_leaf_rows")

        def _parse_n_trees_used(data: object) -> int | None:
            if data is None:
                return data
            return cast(int | None, data)

        n_trees_used = _parse_n_trees_used(d.pop("n_trees_used"))

        n_rows_shown = d.pop("n_rows_shown")

        n_prototypes = d.pop("n_prototypes")

        n_neighbors = d.pop("n_neighbors")

        def _parse_neighbors_kept(data: object) -> float | None:
            if data is None:
                return data
            return cast(float | None, data)

        neighbors_kept = _parse_neighbors_kept(d.pop("neighbors_kept"))

        trustworthiness = d.pop("trustworthiness")

        def _parse_neighbors_kept_by_chance(data: object) -> float | None:
            if data is None:
                return data
            return cast(float | None, data)

        neighbors_kept_by_chance = _parse_neighbors_kept_by_chance(d.pop("neighbors_kept_by_chance"))

        trustworthiness_by_chance = d.pop("trustworthiness_by_chance")

        n_rows_evaluated = d.pop("n_rows_evaluated")

        preview = MapPreview.from_dict(d.pop("preview"))

        caution = d.pop("caution")

        map_result = cls(
            proximity_kind=proximity_kind,
            task=task,
            classes=classes,
            n_rows=n_rows,
            n_trees=n_trees,
            min_leaf_rows=min_leaf_rows,
            n_trees_used=n_trees_used,
            n_rows_shown=n_rows_shown,
            n_prototypes=n_prototypes,
            n_neighbors=n_neighbors,
            neighbors_kept=neighbors_kept,
            trustworthiness=trustworthiness,
            neighbors_kept_by_chance=neighbors_kept_by_chance,
            trustworthiness_by_chance=trustworthiness_by_chance,
            n_rows_evaluated=n_rows_evaluated,
            preview=preview,
            caution=caution,
        )

        return map_result
