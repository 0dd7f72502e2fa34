from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeVar, cast

from attrs import define as _attrs_define

from ...records import Record
from ..types import UNSET, Unset

if TYPE_CHECKING:
    from ..models.baseline import Baseline
    from ..models.certificate_objective import CertificateObjective
    from ..models.criticism import Criticism
    from ..models.evaluation import Evaluation
    from ..models.leaf_step import LeafStep
    from ..models.prototype import Prototype
    from ..models.row_coverage import RowCoverage
    from ..models.searched_rows import SearchedRows
    from ..models.set_quality import SetQuality
    from ..models.stop_reason import StopReason
    from ..models.typicality_scale import TypicalityScale
    from ..models.validation import Validation


T = TypeVar("T", bound="PrototypeSetResult")


@_attrs_define(repr=False)
class PrototypeSetResult(Record):
    """The result of a prototype job.

    Attributes:
        proximity_kind (str): How trees were weighted in the proximities; `euclidean`: rows were compared by plain
            distance.
        task (str): What the model predicts.
        classes (list[str]): Classes in the order of the model's scores; empty for regression.
        n_rows (int): Number of rows of the dataset.
        n_trees (int): Number of trees of the model; 0 of an oracle.
        n_trees_used (int | None): Number of trees that count in proximities: those cut back to a single leaf do not,
            nor do those of boosting whose values do not vary. Null by plain distance (`euclidean`).
        row_coverage (None | RowCoverage): How many of the dataset's rows have at least the minimum proximity to a
            prototype; null with `euclidean`, by which nearly all have.
        n_candidates (int): Number of rows that could become prototypes: all, or a random sample.
        n_selected (int): Number of prototypes that were selected.
        n_swaps (int): Number of replacements that `refine` made; each prototype has the rank of the one it replaced.
        nested (bool): Whether the first k prototypes are the answer for k prototypes: false for `sm_u` and after swaps.
        objective (float): Sum over the rows of the proximity to the nearest prototype of their class, with `k_medoids`
            of any class, 0 to `n_rows`.
        objective_mean (float): Objective divided by the number of rows.
        all_rows_certificate (float | None): Proven share of the best possible objective, among sets of any rows:
            `certificate_objective.value` / `all_rows_upper_bound`. Null with `euclidean`, which has no bounds.
        all_rows_upper_bound (float | None): Proven upper bound of the objective of all sets of any rows that satisfy
            the constraint of `certificate_objective`: the looser of the two bounds where candidates are a sample, otherwise
            the same. Null with `euclidean`.
        certificate (float | None): Proven share of the best possible objective, among sets within `certificate_scope`:
            `certificate_objective.value` / `objective_upper_bound`. Swaps never lower it. Null with `euclidean`.
        objective_upper_bound (float | None): Proven upper bound of the objective of all sets within `certificate_scope`
            that satisfy the constraint of `certificate_objective`. Null with `euclidean`.
        certificate_scope (None | str): Sets that `certificate` and `objective_upper_bound` refer to: of any rows, or of
            the sampled candidates only, which allows no conclusion on other rows. Null with `euclidean`.
        certificate_objective (CertificateObjective | None): What the certificates refer to; null with `euclidean`.
        stopped_by (StopReason): Why the selection ended, before any swaps.
        prototypes (list[Prototype]): The prototypes in the order of their selection.
        criticisms (list[Criticism]): Rows that no prototype represents well, at most 10: each is the row that is
            farthest from all prototypes and earlier criticisms of its class, with `k_medoids` of any class (ties: the
            lowest row).
        quality (SetQuality): The measures of all prototypes together, each 0 to 1; null where there is nothing to take
            a share or a mean of.

            Measured on the rows that `evaluated_on` names; rows that prototypes were chosen from count as rows themselves.
        evaluation (list[Evaluation]): Scores of the nearest prototype's label or value: for each number of prototypes
            if `nested`, otherwise for all of them.
        evaluated_on (str): Rows that were used: those of the reference dataset, or of `evaluation_dataset`.
        typicality (None | TypicalityScale): What explanations compare a row's proximity with; null with `euclidean`,
            which explains no rows.
        measured_against (str): Reference of accuracies and errors: the dataset's target, or the model where it has
            none.
        baseline (Baseline): Scores of the model, of the nearest other row of the dataset, and of constant predictions.
        min_leaf_rows (int | None | Unset): The `min_leaf_rows` that was used: trees were cut back where a split left
            fewer reference rows on either side; 1: they were not cut. Null with `euclidean`, which knows no leaves.
            Default: 1.
        leaf_steps (list[LeafStep] | Unset): What `auto` tried, in this order; empty where `min_leaf_rows` was given as
            a number.
        validation (None | Unset | Validation): How `validate` found the number of prototypes; null where it was not
            requested.
        nearest_rows (None | SearchedRows | Unset): Reference rows that `nearest_rows` can search; null where none are
            kept: for more than 250,000,000 rows x (trees + features), and with `euclidean`.
        classes_without_prototypes (list[str] | Unset): Classes of rows of the dataset (see `labels`) without a
            prototype: the nearest prototype gives their rows another class, or none. Empty for regression.
        caution (None | str | Unset): Warning, in words, that the scores in `evaluation` may be too good: they were
            measured on the rows from which the result was made, and the model reproduces at least 99 % of their targets
            (regression: R2 of at least 0.95), as a model does that has memorised them. Null where no such reason is known.
            It also names classes without a prototype, and a coverage of rows that was not reached.
    """

    proximity_kind: str
    task: str
    classes: list[str]
    n_rows: int
    n_trees: int
    n_trees_used: int | None
    row_coverage: None | RowCoverage
    n_candidates: int
    n_selected: int
    n_swaps: int
    nested: bool
    objective: float
    objective_mean: float
    all_rows_certificate: float | None
    all_rows_upper_bound: float | None
    certificate: float | None
    objective_upper_bound: float | None
    certificate_scope: None | str
    certificate_objective: CertificateObjective | None
    stopped_by: StopReason
    prototypes: list[Prototype]
    criticisms: list[Criticism]
    quality: SetQuality
    evaluation: list[Evaluation]
    evaluated_on: str
    typicality: None | TypicalityScale
    measured_against: str
    baseline: Baseline
    min_leaf_rows: int | None | Unset = 1
    leaf_steps: list[LeafStep] | Unset = UNSET
    validation: None | Unset | Validation = UNSET
    nearest_rows: None | SearchedRows | Unset = UNSET
    classes_without_prototypes: list[str] | Unset = UNSET
    caution: None | str | Unset = UNSET

    def to_dict(self) -> dict[str, Any]:
        from ..models.certificate_objective import CertificateObjective  # noqa: PLC0415
        from ..models.row_coverage import RowCoverage  # noqa: PLC0415
        from ..models.searched_rows import SearchedRows  # noqa: PLC0415
        from ..models.typicality_scale import TypicalityScale  # noqa: PLC0415
        from ..models.validation import Validation  # noqa: PLC0415

        proximity_kind = self.proximity_kind

        task = self.task

        classes = self.classes

        n_rows = self.n_rows

        n_trees = self.n_trees

        n_trees_used: int | None
        n_trees_used = self.n_trees_used

        row_coverage: dict[str, Any] | None
        if isinstance(self.row_coverage, RowCoverage):
            row_coverage = self.row_coverage.to_dict()
        else:
            row_coverage = self.row_coverage

        n_candidates = self.n_candidates

        n_selected = self.n_selected

        n_swaps = self.n_swaps

        nested = self.nested

        objective = self.objective

        objective_mean = self.objective_mean

        all_rows_certificate: float | None
        all_rows_certificate = self.all_rows_certificate

        all_rows_upper_bound: float | None
        all_rows_upper_bound = self.all_rows_upper_bound

        certificate: float | None
        certificate = self.certificate

        objective_upper_bound: float | None
        objective_upper_bound = self.objective_upper_bound

        certificate_scope: None | str
        certificate_scope = self.certificate_scope

        certificate_objective: dict[str, Any] | None
        if isinstance(self.certificate_objective, CertificateObjective):
            certificate_objective = self.certificate_objective.to_dict()
        else:
            certificate_objective = self.certificate_objective

        stopped_by = self.stopped_by.to_dict()

        prototypes = []
        for prototypes_item_data in self.prototypes:
            prototypes_item = prototypes_item_data.to_dict()
            prototypes.append(prototypes_item)

        criticisms = []
        for criticisms_item_data in self.criticisms:
            criticisms_item = criticisms_item_data.to_dict()
            criticisms.append(criticisms_item)

        quality = self.quality.to_dict()

        evaluation = []
        for evaluation_item_data in self.evaluation:
            evaluation_item = evaluation_item_data.to_dict()
            evaluation.append(evaluation_item)

        evaluated_on = self.evaluated_on

        typicality: dict[str, Any] | None
        if isinstance(self.typicality, TypicalityScale):
            typicality = self.typicality.to_dict()
        else:
            typicality = self.typicality

        measured_against = self.measured_against

        baseline = self.baseline.to_dict()

        min_leaf_rows: int | None | Unset
        if isinstance(self.min_leaf_rows, Unset):
            min_leaf_rows = UNSET
        else:
            min_leaf_rows = self.min_leaf_rows

        leaf_steps: list[dict[str, Any]] | Unset = UNSET
        if not isinstance(self.leaf_steps, Unset):
            leaf_steps = []
            for leaf_steps_item_data in self.leaf_steps:
                leaf_steps_item = leaf_steps_item_data.to_dict()
                leaf_steps.append(leaf_steps_item)

        validation: dict[str, Any] | None | Unset
        if isinstance(self.validation, Unset):
            validation = UNSET
        elif isinstance(self.validation, Validation):
            validation = self.validation.to_dict()
        else:
            validation = self.validation

        nearest_rows: dict[str, Any] | None | Unset
        if isinstance(self.nearest_rows, Unset):
            nearest_rows = UNSET
        elif isinstance(self.nearest_rows, SearchedRows):
            nearest_rows = self.nearest_rows.to_dict()
        else:
            nearest_rows = self.nearest_rows

        classes_without_prototypes: list[str] | Unset = UNSET
        if not isinstance(self.classes_without_prototypes, Unset):
            classes_without_prototypes = self.classes_without_prototypes

        caution: None | str | Unset
        if isinstance(self.caution, Unset):
            caution = UNSET
        else:
            caution = self.caution

        field_dict: dict[str, Any] = {}

        field_dict.update(
            {
                "proximity_kind": proximity_kind,
                "task": task,
                "classes": classes,
                "n_rows": n_rows,
                "n_trees": n_trees,
                "n_trees_used": n_trees_used,
                "row_coverage": row_coverage,
                "n_candidates": n_candidates,
                "n_selected": n_selected,
                "n_swaps": n_swaps,
                "nested": nested,
                "objective": objective,
                "objective_mean": objective_mean,
                "all_rows_certificate": all_rows_certificate,
                "all_rows_upper_bound": all_rows_upper_bound,
                "certificate": certificate,
                "objective_upper_bound": objective_upper_bound,
                "certificate_scope": certificate_scope,
                "certificate_objective": certificate_objective,
                "stopped_by": stopped_by,
                "prototypes": prototypes,
                "criticisms": criticisms,
                "quality": quality,
                "evaluation": evaluation,
                "evaluated_on": evaluated_on,
                "typicality": typicality,
                "measured_against": measured_against,
                "baseline": baseline,
            }
        )
        if min_leaf_rows is not UNSET:
            field_dict["min_leaf_rows"] = min_leaf_rows
        if leaf_steps is not UNSET:
            field_dict["leaf_steps"] = leaf_steps
        if validation is not UNSET:
            field_dict["validation"] = validation
        if nearest_rows is not UNSET:
            field_dict["nearest_rows"] = nearest_rows
        if classes_without_prototypes is not UNSET:
            field_dict["classes_without_prototypes"] = classes_without_prototypes
        if caution is not UNSET:
            field_dict["caution"] = caution

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.baseline import Baseline  # noqa: PLC0415
        from ..models.certificate_objective import CertificateObjective  # noqa: PLC0415
        from ..models.criticism import Criticism  # noqa: PLC0415
        from ..models.evaluation import Evaluation  # noqa: PLC0415
        from ..models.leaf_step import LeafStep  # noqa: PLC0415
        from ..models.prototype import Prototype  # noqa: PLC0415
        from ..models.row_coverage import RowCoverage  # noqa: PLC0415
        from ..models.searched_rows import SearchedRows  # noqa: PLC0415
        from ..models.set_quality import SetQuality  # noqa: PLC0415
        from ..models.stop_reason import StopReason  # noqa: PLC0415
        from ..models.typicality_scale import TypicalityScale  # noqa: PLC0415
        from ..models.validation import Validation  # noqa: PLC0415

        d = dict(src_dict)
        proximity_kind = d.pop("proximity_kind")

        task = d.pop("task")

        classes = cast(list[str], d.pop("classes"))

        n_rows = d.pop("n_rows")

        n_trees = d.pop("n_trees")

        def _parse_n_trees_used(data: object) -> int | None:
            if data is None:
                return data
            return cast(int | None, data)

        n_trees_used = _parse_n_trees_used(d.pop("n_trees_used"))

        def _parse_row_coverage(data: object) -> None | RowCoverage:
            if data is None:
                return data
            try:
                if not isinstance(data, dict):
                    raise TypeError()
                row_coverage_type_0 = RowCoverage.from_dict(data)

                return row_coverage_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(None | RowCoverage, data)

        row_coverage = _parse_row_coverage(d.pop("row_coverage"))

        n_candidates = d.pop("n_candidates")

        n_selected = d.pop("n_selected")

        n_swaps = d.pop("n_swaps")

        nested = d.pop("nested")

        objective = d.pop("objective")

        objective_mean = d.pop("objective_mean")

        def _parse_all_rows_certificate(data: object) -> float | None:
            if data is None:
                return data
            return cast(float | None, data)

        all_rows_certificate = _parse_all_rows_certificate(d.pop("all_rows_certificate"))

        def _parse_all_rows_upper_bound(data: object) -> float | None:
            if data is None:
                return data
            return cast(float | None, data)

        all_rows_upper_bound = _parse_all_rows_upper_bound(d.pop("all_rows_upper_bound"))

        def _parse_certificate(data: object) -> float | None:
            if data is None:
                return data
            return cast(float | None, data)

        certificate = _parse_certificate(d.pop("certificate"))

        def _parse_objective_upper_bound(data: object) -> float | None:
            if data is None:
                return data
            return cast(float | None, data)

        objective_upper_bound = _parse_objective_upper_bound(d.pop("objective_upper_bound"))

        def _parse_certificate_scope(data: object) -> None | str:
            if data is None:
                return data
            return cast(None | str, data)

        certificate_scope = _parse_certificate_scope(d.pop("certificate_scope"))

        def _parse_certificate_objective(data: object) -> CertificateObjective | None:
            if data is None:
                return data
            try:
                if not isinstance(data, dict):
                    raise TypeError()
                certificate_objective_type_0 = CertificateObjective.from_dict(data)

                return certificate_objective_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(CertificateObjective | None, data)

        certificate_objective = _parse_certificate_objective(d.pop("certificate_objective"))

        stopped_by = StopReason.from_dict(d.pop("stopped_by"))

        prototypes = []
        _prototypes = d.pop("prototypes")
        for prototypes_item_data in _prototypes:
            prototypes_item = Prototype.from_dict(prototypes_item_data)

            prototypes.append(prototypes_item)

        criticisms = []
        _criticisms = d.pop("criticisms")
        for criticisms_item_data in _criticisms:
            criticisms_item = Criticism.from_dict(criticisms_item_data)

            criticisms.append(criticisms_item)

        quality = SetQuality.from_dict(d.pop("quality"))

        evaluation = []
        _evaluation = d.pop("evaluation")
        for evaluation_item_data in _evaluation:
            evaluation_item = Evaluation.from_dict(evaluation_item_data)

            evaluation.append(evaluation_item)

        evaluated_on = d.pop("evaluated_on")

        def _parse_typicality(data: object) -> None | TypicalityScale:
            if data is None:
                return data
            try:
                if not isinstance(data, dict):
                    raise TypeError()
                typicality_type_0 = TypicalityScale.from_dict(data)

                return typicality_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(None | TypicalityScale, data)

        typicality = _parse_typicality(d.pop("typicality"))

        measured_against = d.pop("measured_against")

        baseline = Baseline.from_dict(d.pop("baseline"))

        def _parse_min_leaf_rows(data: object) -> int | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(int | None | Unset, data)

        min_leaf_rows = _parse_min_leaf_rows(d.pop("min_leaf_rows", UNSET))

        _leaf_steps = d.pop("leaf_steps", UNSET)
        leaf_steps: list[LeafStep] | Unset = UNSET
        if _leaf_steps is not UNSET:
            leaf_steps = []
            for leaf_steps_item_data in _leaf_steps:
                leaf_steps_item = LeafStep.from_dict(leaf_steps_item_data)

                leaf_steps.append(leaf_steps_item)

        def _parse_validation(data: object) -> None | Unset | Validation:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            try:
                if not isinstance(data, dict):
                    raise TypeError()
                validation_type_0 = Validation.from_dict(data)

                return validation_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(None | Unset | Validation, data)

        validation = _parse_validation(d.pop("validation", UNSET))

        def _parse_nearest_rows(data: object) -> None | SearchedRows | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            try:
                if not isinstance(data, dict):
                    raise TypeError()
                nearest_rows_type_0 = SearchedRows.from_dict(data)

                return nearest_rows_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(None | SearchedRows | Unset, data)

        nearest_rows = _parse_nearest_rows(d.pop("nearest_rows", UNSET))

        classes_without_prototypes = cast(list[str], d.pop("classes_without_prototypes", UNSET))

        def _parse_caution(data: object) -> None | str | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(None | str | Unset, data)

        caution = _parse_caution(d.pop("caution", UNSET))

        prototype_set_result = cls(
            proximity_kind=proximity_kind,
            task=task,
            classes=classes,
            n_rows=n_rows,
            n_trees=n_trees,
            n_trees_used=n_trees_used,
            row_coverage=row_coverage,
            n_candidates=n_candidates,
            n_selected=n_selected,
            n_swaps=n_swaps,
            nested=nested,
            objective=objective,
            objective_mean=objective_mean,
            all_rows_certificate=all_rows_certificate,
            all_rows_upper_bound=all_rows_upper_bound,
            certificate=certificate,
            objective_upper_bound=objective_upper_bound,
            certificate_scope=certificate_scope,
            certificate_objective=certificate_objective,
            stopped_by=stopped_by,
            prototypes=prototypes,
            criticisms=criticisms,
            quality=quality,
            evaluation=evaluation,
            evaluated_on=evaluated_on,
            typicality=typicality,
            measured_against=measured_against,
            baseline=baseline,
            min_leaf_rows=min_leaf_rows,
            leaf_steps=leaf_steps,
            validation=validation,
            nearest_rows=nearest_rows,
            classes_without_prototypes=classes_without_prototypes,
            caution=caution,
        )

        return prototype_set_result
