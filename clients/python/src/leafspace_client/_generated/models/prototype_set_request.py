from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, cast

from attrs import define as _attrs_define

from ...records import Record
from ..types import UNSET, Unset

T = TypeVar("T", bound="PrototypeSetRequest")


@_attrs_define(repr=False)
class PrototypeSetRequest(Record):
    """Which prototypes to select, from which dataset and for which model.

    Attributes:
        model (str): Id of the model.
        dataset (str): Id of the reference dataset, which has every feature that the model reads.
        settings (str | Unset): `paper`: the fields that are left out have the values of the method's paper, as
            docs/methods.md lists them, instead of these defaults, fields of fields included; what is given, null included,
            stands, but for `method: auto`, which leaves the method to the word, too. Answers show the fields that result,
            so that the id is that of the same request in full. Absent: the defaults.
        method (str | Unset): Selection method: `sm_u`, `sm_a`, `sm_wa` or `sg` (Tan et al.), or `a_pete` (Karolczak &
            Stefanowski), which finds the number of prototypes itself, or `k_medoids`: prototypes of whatever class for all
            rows together (Tan et al., equation 2); with `refine: swap` it is PAM. Default: 'sm_a'.
        selected_on (str | Unset): Rows whose prediction by the nearest prototype `sg` improves: those of the reference
            dataset, or those of `evaluation_dataset`, which are then no test of it any more; with `labels: target` all of
            them need one, unless `metric` counts what the model predicts. Other methods refuse any value but the default.
            Default: 'dataset'.
        metric (str | Unset): What `sg` improves: `balanced_accuracy`, the mean over the classes of the share of rows
            that get their class (see `labels`); `accuracy`, the share of all rows; `balanced_fidelity` and `fidelity`, the
            same for the classes that the model predicts, whatever `labels` says. Other methods refuse any value but the
            default. Default: 'balanced_accuracy'.
        n_prototypes (int | None | str | Unset): Number of prototypes of all classes together, 1 to 10,000; default: 10.
            With `sm_u` each class gets an equal share of them, rounded, and at least one. Not applicable to `a_pete`, which
            finds the number by `alpha`. `validate` (not with `sm_u`): the smallest number, at most 100, whose score on
            `evaluation_dataset` is within one standard error of the best one; see `validation` in the result. Refused with
            `selected_on: evaluation_dataset`: those rows would be no test of it.
        coverage (float | None | Unset): Share of the dataset's rows that are to have at least the minimum proximity to
            a prototype (`row_coverage`): prototypes are selected until it is reached, at most 1,000. It replaces
            `n_prototypes`, and is not applicable to `sm_u`, `a_pete` and `euclidean`. Null: by `n_prototypes`.
        min_leaf_rows (int | str | Unset):
        alpha (float | Unset): `a_pete` stops when the relative change of gains is at most this. Not applicable to other
            methods, which refuse any value but the default. Default: 0.05.
        labels (str | Unset): Source of the rows' classes or values: the model's predictions (`predicted`) or the
            dataset's target column (`target`). Default: 'predicted'.
        proximity_kind (str | Unset): How trees are weighted in proximities. `random_forest`: all alike (Tan et al.,
            equation 1); `boosting`: by their contribution to the scores, its variance over the rows (Tan et al., definition
            3); `boosting_l1`: by its mean absolute deviation instead, which leaves more weight to small trees; `auto`: by
            the model's `ensemble`, and `random_forest` where that is `other` or unknown (votes, AdaBoost, calibrated
            models). `euclidean`: no trees at all, as a baseline; 1 - distance / sqrt(number of features), where numbers
            differ by their ranks among the reference rows, 0 to 1, and categories, truth values and missing values by 0 or
            1 (Tan et al., table 1). Default: 'auto'.
        refine (str | Unset): Refinement after the selection. `swap`: prototypes are replaced by other candidates, one
            at a time, until no single replacement raises the objective of the method (`sm_u`: by candidates of the same
            class); where better sets are not ruled out, up to three other starts are tried. Not applicable to `sg` and
            `euclidean`. Default: 'none'.
        n_candidates (int | None | Unset): Number of rows, drawn at random with at least one of each class, that may
            become prototypes. They are selected to represent all rows nevertheless. Null: all rows, or 10,000 where rows x
            rows x trees are more than 5 x 10^12 (150,000 rows x 200 trees); with `euclidean`, where rows x rows x (features
            + 50) are more than 10^12.
        evaluation_dataset (None | str | Unset): Id of a dataset on which the result is evaluated instead of the
            reference dataset; null: on the reference dataset itself.
        seed (int | Unset): Seed of the random draws: of candidates, and of rows for the nearest-neighbour baseline,
            where not all are used. Default: 0.
        run_on (str | Unset): Where the job works on the rows: `local`, in the worker's own process; `cluster`, on the
            workers of a Dask cluster (LEAFSPACE_DASK_SCHEDULER); `auto`: on the cluster where one process would need more
            memory than a job may use, and else locally. The result is the same, and so is the id: answers always show
            `auto`. Default: 'auto'.
    """

    model: str
    dataset: str
    settings: str | Unset = UNSET
    method: str | Unset = "sm_a"
    selected_on: str | Unset = "dataset"
    metric: str | Unset = "balanced_accuracy"
    n_prototypes: int | None | str | Unset = UNSET
    coverage: float | None | Unset = UNSET
    min_leaf_rows: int | str | Unset = UNSET
    alpha: float | Unset = 0.05
    labels: str | Unset = "predicted"
    proximity_kind: str | Unset = "auto"
    refine: str | Unset = "none"
    n_candidates: int | None | Unset = UNSET
    evaluation_dataset: None | str | Unset = UNSET
    seed: int | Unset = 0
    run_on: str | Unset = "auto"

    def to_dict(self) -> dict[str, Any]:
        model = self.model

        dataset = self.dataset

        settings = self.settings

        method = self.method

        selected_on = self.selected_on

        metric = self.metric

        n_prototypes: int | None | str | Unset
        if isinstance(self.n_prototypes, Unset):
            n_prototypes = UNSET
        else:
            n_prototypes = self.n_prototypes

        coverage: float | None | Unset
        if isinstance(self.coverage, Unset):
            coverage = UNSET
        else:
            coverage = self.coverage

        min_leaf_rows: int | str | Unset
        if isinstance(self.min_leaf_rows, Unset):
            min_leaf_rows = UNSET
        else:
            min_leaf_rows = self.min_leaf_rows

        alpha = self.alpha

        labels = self.labels

        proximity_kind = self.proximity_kind

        refine = self.refine

        n_candidates: int | None | Unset
        if isinstance(self.n_candidates, Unset):
            n_candidates = UNSET
        else:
            n_candidates = self.n_candidates

        evaluation_dataset: None | str | Unset
        if isinstance(self.evaluation_dataset, Unset):
            evaluation_dataset = UNSET
        else:
            evaluation_dataset = self.evaluation_dataset

        seed = self.seed

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
        if selected_on is not UNSET:
            field_dict["selected_on"] = selected_on
        if metric is not UNSET:
            field_dict["metric"] = metric
        if n_prototypes is not UNSET:
            field_dict["n_prototypes"] = n_prototypes
        if coverage is not UNSET:
            field_dict["coverage"] = coverage
        if min_leaf_rows is not UNSET:
            field_dict["min_leaf_rows"] = min_leaf_rows
        if alpha is not UNSET:
            field_dict["alpha"] = alpha
        if labels is not UNSET:
            field_dict["labels"] = labels
        if proximity_kind is not UNSET:
            field_dict["proximity_kind"] = proximity_kind
        if refine is not UNSET:
            field_dict["refine"] = refine
        if n_candidates is not UNSET:
            field_dict["n_candidates"] = n_candidates
        if evaluation_dataset is not UNSET:
            field_dict["evaluation_dataset"] = evaluation_dataset
        if seed is not UNSET:
            field_dict["seed"] = seed
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

        selected_on = d.pop("selected_on", UNSET)

        metric = d.pop("metric", UNSET)

        def _parse_n_prototypes(data: object) -> int | None | str | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(int | None | str | Unset, data)

        n_prototypes = _parse_n_prototypes(d.pop("n_prototypes", UNSET))

        def _parse_coverage(data: object) -> float | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(float | None | Unset, data)

        coverage = _parse_coverage(d.pop("coverage", UNSET))

        def _parse_min_leaf_rows(data: object) -> int | str | Unset:
            if isinstance(data, Unset):
                return data
            return cast(int | str | Unset, data)

        min_leaf_rows = _parse_min_leaf_rows(d.pop("min_leaf_rows", UNSET))

        alpha = d.pop("alpha", UNSET)

        labels = d.pop("labels", UNSET)

        proximity_kind = d.pop("proximity_kind", UNSET)

        refine = d.pop("refine", UNSET)

        def _parse_n_candidates(data: object) -> int | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(int | None | Unset, data)

        n_candidates = _parse_n_candidates(d.pop("n_candidates", UNSET))

        def _parse_evaluation_dataset(data: object) -> None | str | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(None | str | Unset, data)

        evaluation_dataset = _parse_evaluation_dataset(d.pop("evaluation_dataset", UNSET))

        seed = d.pop("seed", UNSET)

        run_on = d.pop("run_on", UNSET)

        prototype_set_request = cls(
            model=model,
            dataset=dataset,
            settings=settings,
            method=method,
            selected_on=selected_on,
            metric=metric,
            n_prototypes=n_prototypes,
            coverage=coverage,
            min_leaf_rows=min_leaf_rows,
            alpha=alpha,
            labels=labels,
            proximity_kind=proximity_kind,
            refine=refine,
            n_candidates=n_candidates,
            evaluation_dataset=evaluation_dataset,
            seed=seed,
            run_on=run_on,
        )

        return prototype_set_request
