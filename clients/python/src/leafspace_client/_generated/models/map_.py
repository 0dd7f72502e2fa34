from __future__ import annotations

import datetime
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Literal, TypeVar, cast

from attrs import define as _attrs_define

from ...records import Record
from ..types import UNSET, Unset

if TYPE_CHECKING:
    from ..models.map_request import MapRequest
    from ..models.map_result import MapResult
    from ..models.problem import Problem


T = TypeVar("T", bound="Map")


@_attrs_define(repr=False)
class Map(Record):
    """A map, its status and, once it is ready, its result.

    Attributes:
        id (str): Id of the artefact, derived from its request: equal requests have equal ids.
        status (str): `pending` while its job is queued or running; `ready` with a result; `failed` with a `problem`;
            `cancelled` if a caller cancelled the job.
        job (None | str): Id of the job that makes or made it; null if that job is no longer kept.
        created_at (datetime.datetime): Time of creation, in UTC (RFC 3339).
        request (MapRequest): Which dataset's rows to lay out, and by which model.
        object_ (Literal['map'] | Unset): Type of this object. Default: 'map'.
        reused (bool | Unset): Whether this request found an artefact that had been requested before. Default: False.
        problem (None | Problem | Unset): Why the job failed; null unless it did.
        result (MapResult | None | Unset): Result of the job; null until the status is `ready`, and in lists.
    """

    id: str
    status: str
    job: None | str
    created_at: datetime.datetime
    request: MapRequest
    object_: Literal["map"] | Unset = "map"
    reused: bool | Unset = False
    problem: None | Problem | Unset = UNSET
    result: MapResult | None | Unset = UNSET

    def to_dict(self) -> dict[str, Any]:
        from ..models.map_result import MapResult  # noqa: PLC0415
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

        result: dict[str, Any] | None | Unset
        if isinstance(self.result, Unset):
            result = UNSET
        elif isinstance(self.result, MapResult):
            result = self.result.to_dict()
        else:
            result = self.result

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
        if result is not UNSET:
            field_dict["result"] = result

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.map_request import MapRequest  # noqa: PLC0415
        from ..models.map_result import MapResult  # noqa: PLC0415
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

        request = MapRequest.from_dict(d.pop("request"))

        object_ = cast(Literal["map"] | Unset, d.pop("object", UNSET))
        if object_ != "map" and not isinstance(object_, Unset):
            raise ValueError(f"object must match const 'map', got '{object_}'")

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

        def _parse_result(data: object) -> MapResult | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            try:
                if not isinstance(data, dict):
                    raise TypeError()
                result_type_0 = MapResult.from_dict(data)

                return result_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(MapResult | None | Unset, data)

        result = _parse_result(d.pop("result", UNSET))

        map_ = cls(
            id=id,
            status=status,
            job=job,
            created_at=created_at,
            request=request,
            object_=object_,
            reused=reused,
            problem=problem,
            result=result,
        )

        return map_
