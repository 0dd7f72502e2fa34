from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, cast

from attrs import define as _attrs_define

from ...records import Record
from ..types import UNSET, Unset

T = TypeVar("T", bound="LabelAuditRequest")


@_attrs_define(repr=False)
class LabelAuditRequest(Record):
    """Which dataset's labels (its target) to audit, and with which model.

    Attributes:
        model (str): Id of the model.
        dataset (str): Id of the reference dataset, which has every feature that the model reads.
        settings (str | Unset): `paper`: the fields that are left out have the values of the method's paper, as
            docs/methods.md lists them, instead of these defaults, fields of fields included; what is given, null included,
            stands, but for `method: auto`, which leaves the method to the word, too. Answers show the fields that result,
            so that the id is that of the same request in full. Absent: the defaults.
        method (str | Unset): Who votes on a row's label. `all_rows`: all other rows, each with the weight of its
            proximity to the row; it finds more wrong labels and takes less time. `neighbors`: its `n_neighbors` nearest
            rows, each with one vote, as in the paper. Default: 'all_rows'.
        use_scores (bool | None | Unset): Whether rows are ranked by the share of the votes for their label times the
            probability that the model gives it, and not by the share alone. Null: with `all_rows`, wherever the model's
            scores are probabilities. False with `neighbors`, as in the paper.
        proximity_kind (str | Unset): How trees are weighted in proximities. `random_forest`: all alike (Tan et al.,
            equation 1); `boosting`: by their contribution to the scores, its variance over the rows (Tan et al., definition
            3); `boosting_l1`: by its mean absolute deviation instead, which leaves more weight to small trees; `auto`: by
            the model's `ensemble`, and `random_forest` where that is `other` or unknown (votes, AdaBoost, calibrated
            models). Default: 'auto'.
        n_neighbors (int | None | Unset): Number of nearest rows that vote with the method `neighbors`, 10 by default as
            in the paper; less than the number of rows of the dataset. Null with `all_rows`.
        min_leaf_rows (int | str | Unset):
        run_on (str | Unset): Where the job works on the rows: `local`, in the worker's own process; `cluster`, on the
            workers of a Dask cluster (LEAFSPACE_DASK_SCHEDULER); `auto`: on the cluster where one process would need more
            memory than a job may use, and else locally. The result is the same, and so is the id: answers always show
            `auto`. Default: 'auto'.
    """

    model: str
    dataset: str
    settings: str | Unset = UNSET
    method: str | Unset = "all_rows"
    use_scores: bool | None | Unset = UNSET
    proximity_kind: str | Unset = "auto"
    n_neighbors: int | None | Unset = UNSET
    min_leaf_rows: int | str | Unset = UNSET
    run_on: str | Unset = "auto"

    def to_dict(self) -> dict[str, Any]:
        model = self.model

        dataset = self.dataset

        settings = self.settings

        method = self.method

        use_scores: bool | None | Unset
        if isinstance(self.use_scores, Unset):
            use_scores = UNSET
        else:
            use_scores = self.use_scores

        proximity_kind = self.proximity_kind

        n_neighbors: int | None | Unset
        if isinstance(self.n_neighbors, Unset):
            n_neighbors = UNSET
        else:
            n_neighbors = self.n_neighbors

        min_leaf_rows: int | str | Unset
        if isinstance(self.min_leaf_rows, Unset):
            min_leaf_rows = UNSET
        else:
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
        if method is not UNSET:
            field_dict["method"] = method
        if use_scores is not UNSET:
            field_dict["use_scores"] = use_scores
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

        method = d.pop("method", UNSET)

        def _parse_use_scores(data: object) -> bool | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(bool | None | Unset, data)

        use_scores = _parse_use_scores(d.pop("use_scores", UNSET))

        proximity_kind = d.pop("proximity_kind", UNSET)

        def _parse_n_neighbors(data: object) -> int | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(int | None | Unset, data)

        n_neighbors = _parse_n_neighbors(d.pop("n_neighbors", UNSET))

        def _parse_min_leaf_rows(data: object) -> int | str | Unset:
            if isinstance(data, Unset):
                return data
            return cast(int | str | Unset, data)

        min_leaf_rows = _parse_min_leaf_rows(d.pop("min_leaf_rows", UNSET))

        run_on = d.pop("run_on", UNSET)

        label_audit_request = cls(
            model=model,
            dataset=dataset,
            settings=settings,
            method=method,
            use_scores=use_scores,
            proximity_kind=proximity_kind,
            n_neighbors=n_neighbors,
            min_leaf_rows=min_leaf_rows,
            run_on=run_on,
        )

        return label_audit_request
