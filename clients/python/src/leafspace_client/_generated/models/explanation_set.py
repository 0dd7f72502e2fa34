from __future__ import annotations

import datetime
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Literal, TypeVar, cast

from attrs import define as _attrs_define

from ...records import Record
from ..types import UNSET, Unset

if TYPE_CHECKING:
    from ..models.explanation_set_request import ExplanationSetRequest
    from ..models.explanation_set_sizes import ExplanationSetSizes
    from ..models.label_count import LabelCount
    from ..models.problem import Problem


T = TypeVar("T", bound="ExplanationSet")


@_attrs_define(repr=False)
class ExplanationSet(Record):
    """An explanation set and how its making stands; what was found is null until it is ready, and in lists.

    Attributes:
        id (str):
        status (str):
        job (None | str):
        created_at (datetime.datetime):
        request (ExplanationSetRequest): Which rows to explain, and by what.
        object_ (Literal['explanation_set'] | Unset):  Default: 'explanation_set'.
        reused (bool | Unset): It had been asked for before. Default: False.
        problem (None | Problem | Unset):
        model (None | str | Unset):
        n_rows (int | None | Unset):
        n_explained (int | None | Unset):
        n_refused (int | None | Unset):
        n_unassigned (int | None | Unset):
        agreement (float | None | Unset):
        labels (list[LabelCount] | None | Unset):
        mean_proximity (float | None | Unset):
        n_bytes (ExplanationSetSizes | None | Unset):
    """

    id: str
    status: str
    job: None | str
    created_at: datetime.datetime
    request: ExplanationSetRequest
    object_: Literal["explanation_set"] | Unset = "explanation_set"
    reused: bool | Unset = False
    problem: None | Problem | Unset = UNSET
    model: None | str | Unset = UNSET
    n_rows: int | None | Unset = UNSET
    n_explained: int | None | Unset = UNSET
    n_refused: int | None | Unset = UNSET
    n_unassigned: int | None | Unset = UNSET
    agreement: float | None | Unset = UNSET
    labels: list[LabelCount] | None | Unset = UNSET
    mean_proximity: float | None | Unset = UNSET
    n_bytes: ExplanationSetSizes | None | Unset = UNSET

    def to_dict(self) -> dict[str, Any]:
        from ..models.explanation_set_sizes import ExplanationSetSizes  # noqa: PLC0415
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

        model: None | str | Unset
        if isinstance(self.model, Unset):
            model = UNSET
        else:
            model = self.model

        n_rows: int | None | Unset
        if isinstance(self.n_rows, Unset):
            n_rows = UNSET
        else:
            n_rows = self.n_rows

        n_explained: int | None | Unset
        if isinstance(self.n_explained, Unset):
            n_explained = UNSET
        else:
            n_explained = self.n_explained

        n_refused: int | None | Unset
        if isinstance(self.n_refused, Unset):
            n_refused = UNSET
        else:
            n_refused = self.n_refused

        n_unassigned: int | None | Unset
        if isinstance(self.n_unassigned, Unset):
            n_unassigned = UNSET
        else:
            n_unassigned = self.n_unassigned

        agreement: float | None | Unset
        if isinstance(self.agreement, Unset):
            agreement = UNSET
        else:
            agreement = self.agreement

        labels: list[dict[str, Any]] | None | Unset
        if isinstance(self.labels, Unset):
            labels = UNSET
        elif isinstance(self.labels, list):
            labels = []
            for labels_type_0_item_data in self.labels:
                labels_type_0_item = labels_type_0_item_data.to_dict()
                labels.append(labels_type_0_item)

        else:
            labels = self.labels

        mean_proximity: float | None | Unset
        if isinstance(self.mean_proximity, Unset):
            mean_proximity = UNSET
        else:
            mean_proximity = self.mean_proximity

        n_bytes: dict[str, Any] | None | Unset
        if isinstance(self.n_bytes, Unset):
            n_bytes = UNSET
        elif isinstance(self.n_bytes, ExplanationSetSizes):
            n_bytes = self.n_bytes.to_dict()
        else:
            n_bytes = self.n_bytes

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
        if model is not UNSET:
            field_dict["model"] = model
        if n_rows is not UNSET:
            field_dict["n_rows"] = n_rows
        if n_explained is not UNSET:
            field_dict["n_explained"] = n_explained
        if n_refused is not UNSET:
            field_dict["n_refused"] = n_refused
        if n_unassigned is not UNSET:
            field_dict["n_unassigned"] = n_unassigned
        if agreement is not UNSET:
            field_dict["agreement"] = agreement
        if labels is not UNSET:
            field_dict["labels"] = labels
        if mean_proximity is not UNSET:
            field_dict["mean_proximity"] = mean_proximity
        if n_bytes is not UNSET:
            field_dict["n_bytes"] = n_bytes

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.explanation_set_request import ExplanationSetRequest  # noqa: PLC0415
        from ..models.explanation_set_sizes import ExplanationSetSizes  # noqa: PLC0415
        from ..models.label_count import LabelCount  # noqa: PLC0415
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

        request = ExplanationSetRequest.from_dict(d.pop("request"))

        object_ = cast(Literal["explanation_set"] | Unset, d.pop("object", UNSET))
        if object_ != "explanation_set" and not isinstance(object_, Unset):
            raise ValueError(f"object must match const 'explanation_set', got '{object_}'")

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

        def _parse_model(data: object) -> None | str | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(None | str | Unset, data)

        model = _parse_model(d.pop("model", UNSET))

        def _parse_n_rows(data: object) -> int | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(int | None | Unset, data)

        n_rows = _parse_n_rows(d.pop("n_rows", UNSET))

        def _parse_n_explained(data: object) -> int | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(int | None | Unset, data)

        n_explained = _parse_n_explained(d.pop("n_explained", UNSET))

        def _parse_n_refused(data: object) -> int | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(int | None | Unset, data)

        n_refused = _parse_n_refused(d.pop("n_refused", UNSET))

        def _parse_n_unassigned(data: object) -> int | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(int | None | Unset, data)

        n_unassigned = _parse_n_unassigned(d.pop("n_unassigned", UNSET))

        def _parse_agreement(data: object) -> float | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(float | None | Unset, data)

        agreement = _parse_agreement(d.pop("agreement", UNSET))

        def _parse_labels(data: object) -> list[LabelCount] | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            try:
                if not isinstance(data, list):
                    raise TypeError()
                labels_type_0 = []
                _labels_type_0 = data
                for labels_type_0_item_data in _labels_type_0:
                    labels_type_0_item = LabelCount.from_dict(labels_type_0_item_data)

                    labels_type_0.append(labels_type_0_item)

                return labels_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(list[LabelCount] | None | Unset, data)

        labels = _parse_labels(d.pop("labels", UNSET))

        def _parse_mean_proximity(data: object) -> float | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(float | None | Unset, data)

        mean_proximity = _parse_mean_proximity(d.pop("mean_proximity", UNSET))

        def _parse_n_bytes(data: object) -> ExplanationSetSizes | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            try:
                if not isinstance(data, dict):
                    raise TypeError()
                n_bytes_type_0 = ExplanationSetSizes.from_dict(data)

                return n_bytes_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(ExplanationSetSizes | None | Unset, data)

        n_bytes = _parse_n_bytes(d.pop("n_bytes", UNSET))

        explanation_set = cls(
            id=id,
            status=status,
            job=job,
            created_at=created_at,
            request=request,
            object_=object_,
            reused=reused,
            problem=problem,
            model=model,
            n_rows=n_rows,
            n_explained=n_explained,
            n_refused=n_refused,
            n_unassigned=n_unassigned,
            agreement=agreement,
            labels=labels,
            mean_proximity=mean_proximity,
            n_bytes=n_bytes,
        )

        return explanation_set
