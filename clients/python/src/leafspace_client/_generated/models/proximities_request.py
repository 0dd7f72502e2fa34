from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar

from attrs import define as _attrs_define

from ...records import Record
from ..types import UNSET, Unset

T = TypeVar("T", bound="ProximitiesRequest")


@_attrs_define(repr=False)
class ProximitiesRequest(Record):
    """Which dataset's rows to compare, and by which model.

    Attributes:
        model (str): Id of the model.
        dataset (str): Id of the reference dataset, which has every feature that the model reads.
        settings (str | Unset): `paper`: the fields that are left out have the values of the method's paper, as
            docs/methods.md lists them, instead of these defaults, fields of fields included; what is given, null included,
            stands, but for `method: auto`, which leaves the method to the word, too. Answers show the fields that result,
            so that the id is that of the same request in full. Absent: the defaults.
        proximity_kind (str | Unset): How trees are weighted in proximities. `random_forest`: all alike (Tan et al.,
            equation 1); `boosting`: by their contribution to the scores, its variance over the rows (Tan et al., definition
            3); `boosting_l1`: by its mean absolute deviation instead, which leaves more weight to small trees; `auto`: by
            the model's `ensemble`, and `random_forest` where that is `other` or unknown (votes, AdaBoost, calibrated
            models). `euclidean`: no trees at all, as a baseline; 1 - distance / sqrt(number of features), where numbers
            differ by their ranks among the reference rows, 0 to 1, and categories, truth values and missing values by 0 or
            1 (Tan et al., table 1). Default: 'auto'.
        n_neighbors (int | Unset): Number of nearest rows of each row; less than the number of rows of the dataset.
            Default: 10.
        min_leaf_rows (int | Unset): Fewest reference rows of a leaf: a tree is cut back where a split leaves fewer on
            either side, and rows are compared by the coarser leaves. 1: the trees' own leaves, as in the papers.
            Predictions never depend on it. Default: 1.
        run_on (str | Unset): Where the job works on the rows: `local`, in the worker's own process; `cluster`, on the
            workers of a Dask cluster (LEAFSPACE_DASK_SCHEDULER); `auto`: on the cluster where one process would need more
            memory than a job may use, and else locally. The result is the same, and so is the id: answers always show
            `auto`. Default: 'auto'.
    """

    model: str
    dataset: str
    settings: str | Unset = UNSET
    proximity_kind: str | Unset = "auto"
    n_neighbors: int | Unset = 10
    min_leaf_rows: int | Unset = 1
    run_on: str | Unset = "auto"

    def to_dict(self) -> dict[str, Any]:
        model = self.model

        dataset = self.dataset

        settings = self.settings

        proximity_kind = self.proximity_kind

        n_neighbors = self.n_neighbors

        min_leaf_rows = self.min_leaf_rows

        run_on = self.run_on

        field_dict: dict[str, Any] = {}

        field_dict.update(
            {
                "model": model,
                "dataset": dataset,
            }
        )
        if settings is not UNSET:
            field_dict["settings"] = settings
        if proximity_kind is not UNSET:
            field_dict["proximity_kind"] = proximity_kind
        if n_neighbors is not UNSET:
            field_dict["n_neighbors"] = n_neighbors
        if min_leaf_rows is not UNSET:
            field_dict["min_leaf_rows"] = min_leaf_rows
        if run_on is not UNSET:
            field_dict["run_on"] = run_on

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        model = d.pop("model")

        dataset = d.pop("dataset")

        settings = d.pop("settings", UNSET)

        proximity_kind = d.pop("proximity_kind", UNSET)

        n_neighbors = d.pop("n_neighbors", UNSET)

        min_leaf_rows = d.pop("min_leaf_rows", UNSET)

        run_on = d.pop("run_on", UNSET)

        proximities_request = cls(
            model=model,
            dataset=dataset,
            settings=settings,
            proximity_kind=proximity_kind,
            n_neighbors=n_neighbors,
            min_leaf_rows=min_leaf_rows,
            run_on=run_on,
        )

        return proximities_request
