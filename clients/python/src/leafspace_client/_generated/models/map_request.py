from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, cast

from attrs import define as _attrs_define

from ...records import Record
from ..types import UNSET, Unset

T = TypeVar("T", bound="MapRequest")


@_attrs_define(repr=False)
class MapRequest(Record):
    """Which dataset's rows to lay out, and by which model.

    Attributes:
        model (str): Id of the model.
        dataset (str): Id of the reference dataset, which has every feature that the model reads.
        settings (str | Unset): `paper`: the fields that are left out have the values of the method's paper, as
            docs/methods.md lists them, instead of these defaults, fields of fields included; what is given, null included,
            stands, but for `method: auto`, which leaves the method to the word, too. Answers show the fields that result,
            so that the id is that of the same request in full. Absent: the defaults.
        prototype_set (None | str | Unset): Id of a prototype set of this model and dataset, whose prototypes are all on
            the map; null: none.
        proximity_kind (str | Unset): How trees are weighted in proximities. `random_forest`: all alike (Tan et al.,
            equation 1); `boosting`: by their contribution to the scores, its variance over the rows (Tan et al., definition
            3); `boosting_l1`: by its mean absolute deviation instead, which leaves more weight to small trees; `auto`: by
            the model's `ensemble`, and `random_forest` where that is `other` or unknown (votes, AdaBoost, calibrated
            models). Default: 'auto'.
        n_rows (int | Unset): Number of rows on the map, at most: of a larger dataset they are drawn by `seed`. Default:
            5000.
        n_neighbors (int | Unset): Number of nearest rows that hold each row in its place, less than the number of rows
            on the map; a third of it is the perplexity. More show the whole rather than what lies side by side. Default:
            45.
        min_leaf_rows (int | Unset): Fewest reference rows of a leaf: a tree is cut back where a split leaves fewer on
            either side, and rows are compared by the coarser leaves. 1: the trees' own leaves, as in the papers.
            Predictions never depend on it. Default: 1.
        seed (int | Unset): Seed of the drawn rows and the layout. Default: 0.
    """

    model: str
    dataset: str
    settings: str | Unset = UNSET
    prototype_set: None | str | Unset = UNSET
    proximity_kind: str | Unset = "auto"
    n_rows: int | Unset = 5000
    n_neighbors: int | Unset = 45
    min_leaf_rows: int | Unset = 1
    seed: int | Unset = 0

    def to_dict(self) -> dict[str, Any]:
        model = self.model

        dataset = self.dataset

        settings = self.settings

        prototype_set: None | str | Unset
        if isinstance(self.prototype_set, Unset):
            prototype_set = UNSET
        else:
            prototype_set = self.prototype_set

        proximity_kind = self.proximity_kind

        n_rows = self.n_rows

        n_neighbors = self.n_neighbors

        min_leaf_rows = self.min_leaf_rows

        seed = self.seed

        field_dict: dict[str, Any] = {}

        field_dict.update(
            {
                "model": model,
                "dataset": dataset,
            }
        )
        if settings is not UNSET:
            field_dict["settings"] = settings
        if prototype_set is not UNSET:
            field_dict["prototype_set"] = prototype_set
        if proximity_kind is not UNSET:
            field_dict["proximity_kind"] = proximity_kind
        if n_rows is not UNSET:
            field_dict["n_rows"] = n_rows
        if n_neighbors is not UNSET:
            field_dict["n_neighbors"] = n_neighbors
        if min_leaf_rows is not UNSET:
            field_dict["min_leaf_rows"] = min_leaf_rows
        if seed is not UNSET:
            field_dict["seed"] = seed

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        model = d.pop("model")

        dataset = d.pop("dataset")

        settings = d.pop("settings", UNSET)

        def _parse_prototype_set(data: object) -> None | str | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(None | str | Unset, data)

        prototype_set = _parse_prototype_set(d.pop("prototype_set", UNSET))

        proximity_kind = d.pop("proximity_kind", UNSET)

        n_rows = d.pop("n_rows", UNSET)

        n_neighbors = d.pop("n_neighbors", UNSET)

        min_leaf_rows = d.pop("min_leaf_rows", UNSET)

        seed = d.pop("seed", UNSET)

        map_request = cls(
            model=model,
            dataset=dataset,
            settings=settings,
            prototype_set=prototype_set,
            proximity_kind=proximity_kind,
            n_rows=n_rows,
            n_neighbors=n_neighbors,
            min_leaf_rows=min_leaf_rows,
            seed=seed,
        )

        return map_request
