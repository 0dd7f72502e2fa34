from __future__ import annotations

import datetime
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Literal, TypeVar, cast

from attrs import define as _attrs_define

from ...records import Record
from ..types import UNSET, Unset

if TYPE_CHECKING:
    from ..models.baseline import Baseline
    from ..models.certificate_objective import CertificateObjective
    from ..models.evaluation import Evaluation
    from ..models.problem import Problem
    from ..models.prototype import Prototype
    from ..models.prototype_set_request import PrototypeSetRequest
    from ..models.set_quality import SetQuality
    from ..models.stop_reason import StopReason


T = TypeVar("T", bound="PrototypeSet")


@_attrs_define(repr=False)
class PrototypeSet(Record):
    """A prototype set and how its making stands; what was found is null until it is ready, and in lists.

    Attributes:
        id (str):
        status (str):
        job (None | str):
        created_at (datetime.datetime):
        request (PrototypeSetRequest): What to select, from which rows, as which model sees them.
        object_ (Literal['prototype_set'] | Unset):  Default: 'prototype_set'.
        reused (bool | Unset): It had been asked for before. Default: False.
        problem (None | Problem | Unset):
        kind (None | str | Unset):
        task (None | str | Unset):
        classes (list[str] | None | Unset):
        n_rows (int | None | Unset):
        n_trees (int | None | Unset):
        n_candidates (int | None | Unset):
        n_selected (int | None | Unset):
        n_swaps (int | None | Unset):
        nested (bool | None | Unset):
        objective (float | None | Unset):
        objective_mean (float | None | Unset):
        all_rows_certificate (float | None | Unset):
        all_rows_upper_bound (float | None | Unset):
        certificate (float | None | Unset):
        objective_upper_bound (float | None | Unset):
        certificate_scope (None | str | Unset):
        certificate_objective (CertificateObjective | None | Unset):
        stopped_by (None | StopReason | Unset):
        prototypes (list[Prototype] | None | Unset):
        quality (None | SetQuality | Unset):
        evaluation (list[Evaluation] | None | Unset):
        evaluated_on (None | str | Unset):
        measured_against (None | str | Unset):
        baseline (Baseline | None | Unset):
        classes_without_prototypes (list[str] | None | Unset):
        caution (None | str | Unset):
    """

    id: str
    status: str
    job: None | str
    created_at: datetime.datetime
    request: PrototypeSetRequest
    object_: Literal["prototype_set"] | Unset = "prototype_set"
    reused: bool | Unset = False
    problem: None | Problem | Unset = UNSET
    kind: None | str | Unset = UNSET
    task: None | str | Unset = UNSET
    classes: list[str] | None | Unset = UNSET
    n_rows: int | None | Unset = UNSET
    n_trees: int | None | Unset = UNSET
    n_candidates: int | None | Unset = UNSET
    n_selected: int | None | Unset = UNSET
    n_swaps: int | None | Unset = UNSET
    nested: bool | None | Unset = UNSET
    objective: float | None | Unset = UNSET
    objective_mean: float | None | Unset = UNSET
    all_rows_certificate: float | None | Unset = UNSET
    all_rows_upper_bound: float | None | Unset = UNSET
    certificate: float | None | Unset = UNSET
    objective_upper_bound: float | None | Unset = UNSET
    certificate_scope: None | str | Unset = UNSET
    certificate_objective: CertificateObjective | None | Unset = UNSET
    stopped_by: None | StopReason | Unset = UNSET
    prototypes: list[Prototype] | None | Unset = UNSET
    quality: None | SetQuality | Unset = UNSET
    evaluation: list[Evaluation] | None | Unset = UNSET
    evaluated_on: None | str | Unset = UNSET
    measured_against: None | str | Unset = UNSET
    baseline: Baseline | None | Unset = UNSET
    classes_without_prototypes: list[str] | None | Unset = UNSET
    caution: None | str | Unset = UNSET

    def to_dict(self) -> dict[str, Any]:
        from ..models.baseline import Baseline  # noqa: PLC0415
        from ..models.certificate_objective import CertificateObjective  # noqa: PLC0415
        from ..models.problem import Problem  # noqa: PLC0415
        from ..models.set_quality import SetQuality  # noqa: PLC0415
        from ..models.stop_reason import StopReason  # noqa: PLC0415

        id = self.id

        status = self.status

        job: None | str
        job = self.job

        created_at = self.created_at.isoformat()

        request = self.request.to_dict()

        object_ = self.object_

        reused = self.reused

        problem: dict[str, Any] | None | Unset
        if isinstance(self.problem, Unset):
            problem = UNSET
        elif isinstance(self.problem, Problem):
            problem = self.problem.to_dict()
        else:
            problem = self.problem

        kind: None | str | Unset
        if isinstance(self.kind, Unset):
            kind = UNSET
        else:
            kind = self.kind

        task: None | str | Unset
        if isinstance(self.task, Unset):
            task = UNSET
        else:
            task = self.task

        classes: list[str] | None | Unset
        if isinstance(self.classes, Unset):
            classes = UNSET
        elif isinstance(self.classes, list):
            classes = self.classes

        else:
            classes = self.classes

        n_rows: int | None | Unset
        if isinstance(self.n_rows, Unset):
            n_rows = UNSET
        else:
            n_rows = self.n_rows

        n_trees: int | None | Unset
        if isinstance(self.n_trees, Unset):
            n_trees = UNSET
        else:
            n_trees = self.n_trees

        n_candidates: int | None | Unset
        if isinstance(self.n_candidates, Unset):
            n_candidates = UNSET
        else:
            n_candidates = self.n_candidates

        n_selected: int | None | Unset
        if isinstance(self.n_selected, Unset):
            n_selected = UNSET
        else:
            n_selected = self.n_selected

        n_swaps: int | None | Unset
        if isinstance(self.n_swaps, Unset):
            n_swaps = UNSET
        else:
            n_swaps = self.n_swaps

        nested: bool | None | Unset
        if isinstance(self.nested, Unset):
            nested = UNSET
        else:
            nested = self.nested

        objective: float | None | Unset
        if isinstance(self.objective, Unset):
            objective = UNSET
        else:
            objective = self.objective

        objective_mean: float | None | Unset
        if isinstance(self.objective_mean, Unset):
            objective_mean = UNSET
        else:
            objective_mean = self.objective_mean

        all_rows_certificate: float | None | Unset
        if isinstance(self.all_rows_certificate, Unset):
            all_rows_certificate = UNSET
        else:
            all_rows_certificate = self.all_rows_certificate

        all_rows_upper_bound: float | None | Unset
        if isinstance(self.all_rows_upper_bound, Unset):
            all_rows_upper_bound = UNSET
        else:
            all_rows_upper_bound = self.all_rows_upper_bound

        certificate: float | None | Unset
        if isinstance(self.certificate, Unset):
            certificate = UNSET
        else:
            certificate = self.certificate

        objective_upper_bound: float | None | Unset
        if isinstance(self.objective_upper_bound, Unset):
            objective_upper_bound = UNSET
        else:
            objective_upper_bound = self.objective_upper_bound

        certificate_scope: None | str | Unset
        if isinstance(self.certificate_scope, Unset):
            certificate_scope = UNSET
        else:
            certificate_scope = self.certificate_scope

        certificate_objective: dict[str, Any] | None | Unset
        if isinstance(self.certificate_objective, Unset):
            certificate_objective = UNSET
        elif isinstance(self.certificate_objective, CertificateObjective):
            certificate_objective = self.certificate_objective.to_dict()
        else:
            certificate_objective = self.certificate_objective

        stopped_by: dict[str, Any] | None | Unset
        if isinstance(self.stopped_by, Unset):
            stopped_by = UNSET
        elif isinstance(self.stopped_by, StopReason):
            stopped_by = self.stopped_by.to_dict()
        else:
            stopped_by = self.stopped_by

        prototypes: list[dict[str, Any]] | None | Unset
        if isinstance(self.prototypes, Unset):
            prototypes = UNSET
        elif isinstance(self.prototypes, list):
            prototypes = []
            for prototypes_type_0_item_data in self.prototypes:
                prototypes_type_0_item = prototypes_type_0_item_data.to_dict()
                prototypes.append(prototypes_type_0_item)

        else:
            prototypes = self.prototypes

        quality: dict[str, Any] | None | Unset
        if isinstance(self.quality, Unset):
            quality = UNSET
        elif isinstance(self.quality, SetQuality):
            quality = self.quality.to_dict()
        else:
            quality = self.quality

        evaluation: list[dict[str, Any]] | None | Unset
        if isinstance(self.evaluation, Unset):
            evaluation = UNSET
        elif isinstance(self.evaluation, list):
            evaluation = []
            for evaluation_type_0_item_data in self.evaluation:
                evaluation_type_0_item = evaluation_type_0_item_data.to_dict()
                evaluation.append(evaluation_type_0_item)

        else:
            evaluation = self.evaluation

        evaluated_on: None | str | Unset
        if isinstance(self.evaluated_on, Unset):
            evaluated_on = UNSET
        else:
            evaluated_on = self.evaluated_on

        measured_against: None | str | Unset
        if isinstance(self.measured_against, Unset):
            measured_against = UNSET
        else:
            measured_against = self.measured_against

        baseline: dict[str, Any] | None | Unset
        if isinstance(self.baseline, Unset):
            baseline = UNSET
        elif isinstance(self.baseline, Baseline):
            baseline = self.baseline.to_dict()
        else:
            baseline = self.baseline

        classes_without_prototypes: list[str] | None | Unset
        if isinstance(self.classes_without_prototypes, Unset):
            classes_without_prototypes = UNSET
        elif isinstance(self.classes_without_prototypes, list):
            classes_without_prototypes = self.classes_without_prototypes

        else:
            classes_without_prototypes = self.classes_without_prototypes

        caution: None | str | Unset
        if isinstance(self.caution, Unset):
            caution = UNSET
        else:
            caution = self.caution

        field_dict: dict[str, Any] = {}

        field_dict.update(
            {
                "id": id,
                "status": status,
                "job": job,
                "created_at": created_at,
                "request": request,
            }
        )
        if object_ is not UNSET:
            field_dict["object"] = object_
        if reused is not UNSET:
            field_dict["reused"] = reused
        if problem is not UNSET:
            field_dict["problem"] = problem
        if kind is not UNSET:
            field_dict["kind"] = kind
        if task is not UNSET:
            field_dict["task"] = task
        if classes is not UNSET:
            field_dict["classes"] = classes
        if n_rows is not UNSET:
            field_dict["n_rows"] = n_rows
        if n_trees is not UNSET:
            field_dict["n_trees"] = n_trees
        if n_candidates is not UNSET:
            field_dict["n_candidates"] = n_candidates
        if n_selected is not UNSET:
            field_dict["n_selected"] = n_selected
        if n_swaps is not UNSET:
            field_dict["n_swaps"] = n_swaps
        if nested is not UNSET:
            field_dict["nested"] = nested
        if objective is not UNSET:
            field_dict["objective"] = objective
        if objective_mean is not UNSET:
            field_dict["objective_mean"] = objective_mean
        if all_rows_certificate is not UNSET:
            field_dict["all_rows_certificate"] = all_rows_certificate
        if all_rows_upper_bound is not UNSET:
            field_dict["all_rows_upper_bound"] = all_rows_upper_bound
        if certificate is not UNSET:
            field_dict["certificate"] = certificate
        if objective_upper_bound is not UNSET:
            field_dict["objective_upper_bound"] = objective_upper_bound
        if certificate_scope is not UNSET:
            field_dict["certificate_scope"] = certificate_scope
        if certificate_objective is not UNSET:
            field_dict["certificate_objective"] = certificate_objective
        if stopped_by is not UNSET:
            field_dict["stopped_by"] = stopped_by
        if prototypes is not UNSET:
            field_dict["prototypes"] = prototypes
        if quality is not UNSET:
            field_dict["quality"] = quality
        if evaluation is not UNSET:
            field_dict["evaluation"] = evaluation
        if evaluated_on is not UNSET:
            field_dict["evaluated_on"] = evaluated_on
        if measured_against is not UNSET:
            field_dict["measured_against"] = measured_against
        if baseline is not UNSET:
            field_dict["baseline"] = baseline
        if classes_without_prototypes is not UNSET:
            field_dict["classes_without_prototypes"] = classes_without_prototypes
        if caution is not UNSET:
            field_dict["caution"] = caution

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.baseline import Baseline  # noqa: PLC0415
        from ..models.certificate_objective import CertificateObjective  # noqa: PLC0415
        from ..models.evaluation import Evaluation  # noqa: PLC0415
        from ..models.problem import Problem  # noqa: PLC0415
        from ..models.prototype import Prototype  # noqa: PLC0415
        from ..models.prototype_set_request import PrototypeSetRequest  # noqa: PLC0415
        from ..models.set_quality import SetQuality  # noqa: PLC0415
        from ..models.stop_reason import StopReason  # noqa: PLC0415

        d = dict(src_dict)
        id = d.pop("id")

        status = d.pop("status")

        def _parse_job(data: object) -> None | str:
            if data is None:
                return data
            return cast(None | str, data)

        job = _parse_job(d.pop("job"))

        created_at = datetime.datetime.fromisoformat(d.pop("created_at"))

        request = PrototypeSetRequest.from_dict(d.pop("request"))

        object_ = cast(Literal["prototype_set"] | Unset, d.pop("object", UNSET))
        if object_ != "prototype_set" and not isinstance(object_, Unset):
            raise ValueError(f"object must match const 'prototype_set', got '{object_}'")

        reused = d.pop("reused", UNSET)

        def _parse_problem(data: object) -> None | Problem | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            try:
                if not isinstance(data, dict):
                    raise TypeError()
                problem_type_0 = Problem.from_dict(data)

                return problem_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(None | Problem | Unset, data)

        problem = _parse_problem(d.pop("problem", UNSET))

        def _parse_kind(data: object) -> None | str | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(None | str | Unset, data)

        kind = _parse_kind(d.pop("kind", UNSET))

        def _parse_task(data: object) -> None | str | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(None | str | Unset, data)

        task = _parse_task(d.pop("task", UNSET))

        def _parse_classes(data: object) -> list[str] | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            try:
                if not isinstance(data, list):
                    raise TypeError()
                classes_type_0 = cast(list[str], data)

                return classes_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(list[str] | None | Unset, data)

        classes = _parse_classes(d.pop("classes", UNSET))

        def _parse_n_rows(data: object) -> int | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(int | None | Unset, data)

        n_rows = _parse_n_rows(d.pop("n_rows", UNSET))

        def _parse_n_trees(data: object) -> int | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(int | None | Unset, data)

        n_trees = _parse_n_trees(d.pop("n_trees", UNSET))

        def _parse_n_candidates(data: object) -> int | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(int | None | Unset, data)

        n_candidates = _parse_n_candidates(d.pop("n_candidates", UNSET))

        def _parse_n_selected(data: object) -> int | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(int | None | Unset, data)

        n_selected = _parse_n_selected(d.pop("n_selected", UNSET))

        def _parse_n_swaps(data: object) -> int | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(int | None | Unset, data)

        n_swaps = _parse_n_swaps(d.pop("n_swaps", UNSET))

        def _parse_nested(data: object) -> bool | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(bool | None | Unset, data)

        nested = _parse_nested(d.pop("nested", UNSET))

        def _parse_objective(data: object) -> float | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(float | None | Unset, data)

        objective = _parse_objective(d.pop("objective", UNSET))

        def _parse_objective_mean(data: object) -> float | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(float | None | Unset, data)

        objective_mean = _parse_objective_mean(d.pop("objective_mean", UNSET))

        def _parse_all_rows_certificate(data: object) -> float | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(float | None | Unset, data)

        all_rows_certificate = _parse_all_rows_certificate(d.pop("all_rows_certificate", UNSET))

        def _parse_all_rows_upper_bound(data: object) -> float | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(float | None | Unset, data)

        all_rows_upper_bound = _parse_all_rows_upper_bound(d.pop("all_rows_upper_bound", UNSET))

        def _parse_certificate(data: object) -> float | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(float | None | Unset, data)

        certificate = _parse_certificate(d.pop("certificate", UNSET))

        def _parse_objective_upper_bound(data: object) -> float | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(float | None | Unset, data)

        objective_upper_bound = _parse_objective_upper_bound(d.pop("objective_upper_bound", UNSET))

        def _parse_certificate_scope(data: object) -> None | str | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(None | str | Unset, data)

        certificate_scope = _parse_certificate_scope(d.pop("certificate_scope", UNSET))

        def _parse_certificate_objective(data: object) -> CertificateObjective | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            try:
                if not isinstance(data, dict):
                    raise TypeError()
                certificate_objective_type_0 = CertificateObjective.from_dict(data)

                return certificate_objective_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(CertificateObjective | None | Unset, data)

        certificate_objective = _parse_certificate_objective(d.pop("certificate_objective", UNSET))

        def _parse_stopped_by(data: object) -> None | StopReason | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            try:
                if not isinstance(data, dict):
                    raise TypeError()
                stopped_by_type_0 = StopReason.from_dict(data)

                return stopped_by_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(None | StopReason | Unset, data)

        stopped_by = _parse_stopped_by(d.pop("stopped_by", UNSET))

        def _parse_prototypes(data: object) -> list[Prototype] | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            try:
                if not isinstance(data, list):
                    raise TypeError()
                prototypes_type_0 = []
                _prototypes_type_0 = data
                for prototypes_type_0_item_data in _prototypes_type_0:
                    prototypes_type_0_item = Prototype.from_dict(prototypes_type_0_item_data)

                    prototypes_type_0.append(prototypes_type_0_item)

                return prototypes_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(list[Prototype] | None | Unset, data)

        prototypes = _parse_prototypes(d.pop("prototypes", UNSET))

        def _parse_quality(data: object) -> None | SetQuality | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            try:
                if not isinstance(data, dict):
                    raise TypeError()
                quality_type_0 = SetQuality.from_dict(data)

                return quality_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(None | SetQuality | Unset, data)

        quality = _parse_quality(d.pop("quality", UNSET))

        def _parse_evaluation(data: object) -> list[Evaluation] | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            try:
                if not isinstance(data, list):
                    raise TypeError()
                evaluation_type_0 = []
                _evaluation_type_0 = data
                for evaluation_type_0_item_data in _evaluation_type_0:
                    evaluation_type_0_item = Evaluation.from_dict(evaluation_type_0_item_data)

                    evaluation_type_0.append(evaluation_type_0_item)

                return evaluation_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(list[Evaluation] | None | Unset, data)

        evaluation = _parse_evaluation(d.pop("evaluation", UNSET))

        def _parse_evaluated_on(data: object) -> None | str | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(None | str | Unset, data)

        evaluated_on = _parse_evaluated_on(d.pop("evaluated_on", UNSET))

        def _parse_measured_against(data: object) -> None | str | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(None | str | Unset, data)

        measured_against = _parse_measured_against(d.pop("measured_against", UNSET))

        def _parse_baseline(data: object) -> Baseline | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            try:
                if not isinstance(data, dict):
                    raise TypeError()
                baseline_type_0 = Baseline.from_dict(data)

                return baseline_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(Baseline | None | Unset, data)

        baseline = _parse_baseline(d.pop("baseline", UNSET))

        def _parse_classes_without_prototypes(data: object) -> list[str] | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            try:
                if not isinstance(data, list):
                    raise TypeError()
                classes_without_prototypes_type_0 = cast(list[str], data)

                return classes_without_prototypes_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(list[str] | None | Unset, data)

        classes_without_prototypes = _parse_classes_without_prototypes(d.pop("classes_without_prototypes", UNSET))

        def _parse_caution(data: object) -> None | str | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(None | str | Unset, data)

        caution = _parse_caution(d.pop("caution", UNSET))

        prototype_set = cls(
            id=id,
            status=status,
            job=job,
            created_at=created_at,
            request=request,
            object_=object_,
            reused=reused,
            problem=problem,
            kind=kind,
            task=task,
            classes=classes,
            n_rows=n_rows,
            n_trees=n_trees,
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
            quality=quality,
            evaluation=evaluation,
            evaluated_on=evaluated_on,
            measured_against=measured_against,
            baseline=baseline,
            classes_without_prototypes=classes_without_prototypes,
            caution=caution,
        )

        return prototype_set
