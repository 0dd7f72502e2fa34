from __future__ import annotations

import datetime
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Literal, TypeVar, cast

from attrs import define as _attrs_define

from ...records import Record
from ..types import UNSET, Unset

if TYPE_CHECKING:
    from ..models.audited_row import AuditedRow
    from ..models.label_audit_request import LabelAuditRequest
    from ..models.problem import Problem


T = TypeVar("T", bound="LabelAudit")


@_attrs_define(repr=False)
class LabelAudit(Record):
    """A label audit and how its making stands; what was found is null until it is ready, and in lists.

    Attributes:
        id (str):
        status (str):
        job (None | str):
        created_at (datetime.datetime):
        request (LabelAuditRequest): Whose labels (the dataset's target), as which model sees the rows.
        object_ (Literal['label_audit'] | Unset):  Default: 'label_audit'.
        reused (bool | Unset): It had been asked for before. Default: False.
        problem (None | Problem | Unset):
        kind (None | str | Unset):
        classes (list[str] | None | Unset):
        n_rows (int | None | Unset):
        n_trees (int | None | Unset):
        n_neighbors (int | None | Unset):
        mean_agreement (float | None | Unset):
        n_suggested (int | None | Unset):
        n_without_neighbors (int | None | Unset):
        model_agreement (float | None | Unset):
        caution (None | str | Unset):
        rows (list[AuditedRow] | None | Unset):
    """

    id: str
    status: str
    job: None | str
    created_at: datetime.datetime
    request: LabelAuditRequest
    object_: Literal["label_audit"] | Unset = "label_audit"
    reused: bool | Unset = False
    problem: None | Problem | Unset = UNSET
    kind: None | str | Unset = UNSET
    classes: list[str] | None | Unset = UNSET
    n_rows: int | None | Unset = UNSET
    n_trees: int | None | Unset = UNSET
    n_neighbors: int | None | Unset = UNSET
    mean_agreement: float | None | Unset = UNSET
    n_suggested: int | None | Unset = UNSET
    n_without_neighbors: int | None | Unset = UNSET
    model_agreement: float | None | Unset = UNSET
    caution: None | str | Unset = UNSET
    rows: list[AuditedRow] | None | Unset = UNSET

    def to_dict(self) -> dict[str, Any]:
        from ..models.problem import Problem  # noqa: PLC0415

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

        n_neighbors: int | None | Unset
        if isinstance(self.n_neighbors, Unset):
            n_neighbors = UNSET
        else:
            n_neighbors = self.n_neighbors

        mean_agreement: float | None | Unset
        if isinstance(self.mean_agreement, Unset):
            mean_agreement = UNSET
        else:
            mean_agreement = self.mean_agreement

        n_suggested: int | None | Unset
        if isinstance(self.n_suggested, Unset):
            n_suggested = UNSET
        else:
            n_suggested = self.n_suggested

        n_without_neighbors: int | None | Unset
        if isinstance(self.n_without_neighbors, Unset):
            n_without_neighbors = UNSET
        else:
            n_without_neighbors = self.n_without_neighbors

        model_agreement: float | None | Unset
        if isinstance(self.model_agreement, Unset):
            model_agreement = UNSET
        else:
            model_agreement = self.model_agreement

        caution: None | str | Unset
        if isinstance(self.caution, Unset):
            caution = UNSET
        else:
            caution = self.caution

        rows: list[dict[str, Any]] | None | Unset
        if isinstance(self.rows, Unset):
            rows = UNSET
        elif isinstance(self.rows, list):
            rows = []
            for rows_type_0_item_data in self.rows:
                rows_type_0_item = rows_type_0_item_data.to_dict()
                rows.append(rows_type_0_item)

        else:
            rows = self.rows

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
        if classes is not UNSET:
            field_dict["classes"] = classes
        if n_rows is not UNSET:
            field_dict["n_rows"] = n_rows
        if n_trees is not UNSET:
            field_dict["n_trees"] = n_trees
        if n_neighbors is not UNSET:
            field_dict["n_neighbors"] = n_neighbors
        if mean_agreement is not UNSET:
            field_dict["mean_agreement"] = mean_agreement
        if n_suggested is not UNSET:
            field_dict["n_suggested"] = n_suggested
        if n_without_neighbors is not UNSET:
            field_dict["n_without_neighbors"] = n_without_neighbors
        if model_agreement is not UNSET:
            field_dict["model_agreement"] = model_agreement
        if caution is not UNSET:
            field_dict["caution"] = caution
        if rows is not UNSET:
            field_dict["rows"] = rows

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.audited_row import AuditedRow  # noqa: PLC0415
        from ..models.label_audit_request import LabelAuditRequest  # noqa: PLC0415
        from ..models.problem import Problem  # noqa: PLC0415

        d = dict(src_dict)
        id = d.pop("id")

        status = d.pop("status")

        def _parse_job(data: object) -> None | str:
            if data is None:
                return data
            return cast(None | str, data)

        job = _parse_job(d.pop("job"))

        created_at = datetime.datetime.fromisoformat(d.pop("created_at"))

        request = LabelAuditRequest.from_dict(d.pop("request"))

        object_ = cast(Literal["label_audit"] | Unset, d.pop("object", UNSET))
        if object_ != "label_audit" and not isinstance(object_, Unset):
            raise ValueError(f"object must match const 'label_audit', got '{object_}'")

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

        def _parse_n_neighbors(data: object) -> int | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(int | None | Unset, data)

        n_neighbors = _parse_n_neighbors(d.pop("n_neighbors", UNSET))

        def _parse_mean_agreement(data: object) -> float | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(float | None | Unset, data)

        mean_agreement = _parse_mean_agreement(d.pop("mean_agreement", UNSET))

        def _parse_n_suggested(data: object) -> int | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(int | None | Unset, data)

        n_suggested = _parse_n_suggested(d.pop("n_suggested", UNSET))

        def _parse_n_without_neighbors(data: object) -> int | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(int | None | Unset, data)

        n_without_neighbors = _parse_n_without_neighbors(d.pop("n_without_neighbors", UNSET))

        def _parse_model_agreement(data: object) -> float | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(float | None | Unset, data)

        model_agreement = _parse_model_agreement(d.pop("model_agreement", UNSET))

        def _parse_caution(data: object) -> None | str | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(None | str | Unset, data)

        caution = _parse_caution(d.pop("caution", UNSET))

        def _parse_rows(data: object) -> list[AuditedRow] | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            try:
                if not isinstance(data, list):
                    raise TypeError()
                rows_type_0 = []
                _rows_type_0 = data
                for rows_type_0_item_data in _rows_type_0:
                    rows_type_0_item = AuditedRow.from_dict(rows_type_0_item_data)

                    rows_type_0.append(rows_type_0_item)

                return rows_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(list[AuditedRow] | None | Unset, data)

        rows = _parse_rows(d.pop("rows", UNSET))

        label_audit = cls(
            id=id,
            status=status,
            job=job,
            created_at=created_at,
            request=request,
            object_=object_,
            reused=reused,
            problem=problem,
            kind=kind,
            classes=classes,
            n_rows=n_rows,
            n_trees=n_trees,
            n_neighbors=n_neighbors,
            mean_agreement=mean_agreement,
            n_suggested=n_suggested,
            n_without_neighbors=n_without_neighbors,
            model_agreement=model_agreement,
            caution=caution,
            rows=rows,
        )

        return label_audit
