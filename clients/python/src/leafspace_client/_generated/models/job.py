from __future__ import annotations

import datetime
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Literal, TypeVar, cast

from attrs import define as _attrs_define

from ...displays import DrawnRecord
from ...records import Record
from ..types import UNSET, Unset

if TYPE_CHECKING:
    from ..models.problem import Problem
    from ..models.progress import Progress


T = TypeVar("T", bound="Job")


@_attrs_define(repr=False)
class Job(DrawnRecord, Record):
    """One piece of work; its row in the database is the truth.

    Attributes:
        id (str): Id of the job.
        kind (str): Noun of the artefact that it makes, such as `rule_sets`; kinds may be added.
        status (str): Status: queued, running, cancelling, succeeded, failed or cancelled; statuses may be added.
        artefact (str): Id of the artefact that it makes. Of a dataset by reference, an id that only names the request
            until the job has succeeded; then the dataset's.
        progress (Progress): How far a job has come.
        attempt (int): Number of times that a worker has begun it.
        created_at (datetime.datetime): Time of creation, in UTC (RFC 3339).
        started_at (datetime.datetime | None): Time when the last attempt began, in UTC; null before the first.
        finished_at (datetime.datetime | None): Time when it ended, in UTC; null until then.
        problem (None | Problem): Why it failed; null unless it did.
        object_ (Literal['job'] | Unset): Type of this object. Default: 'job'.
    """

    id: str
    kind: str
    status: str
    artefact: str
    progress: Progress
    attempt: int
    created_at: datetime.datetime
    started_at: datetime.datetime | None
    finished_at: datetime.datetime | None
    problem: None | Problem
    object_: Literal["job"] | Unset = "job"

    def to_dict(self) -> dict[str, Any]:
        from ..models.problem import Problem  # noqa: PLC0415

        id = self.id

        kind = self.kind

        status = self.status

        artefact = self.artefact

        progress = self.progress.to_dict()

        attempt = self.attempt

        created_at = self.created_at.isoformat()

        started_at: None | str
        if isinstance(self.started_at, datetime.datetime):
            started_at = self.started_at.isoformat()
        else:
            started_at = self.started_at

        finished_at: None | str
        if isinstance(self.finished_at, datetime.datetime):
            finished_at = self.finished_at.isoformat()
        else:
            finished_at = self.finished_at

        problem: dict[str, Any] | None
        if isinstance(self.problem, Problem):
            problem = self.problem.to_dict()
        else:
            problem = self.problem

        object_ = self.object_

        field_dict: dict[str, Any] = {}

        field_dict.update(
            {
                "id": id,
                "kind": kind,
                "status": status,
                "artefact": artefact,
                "progress": progress,
                "attempt": attempt,
                "created_at": created_at,
                "started_at": started_at,
                "finished_at": finished_at,
                "problem": problem,
            }
        )
        if object_ is not UNSET:
            field_dict["object"] = object_

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.problem import Problem  # noqa: PLC0415
        from ..models.progress import Progress  # noqa: PLC0415

        d = dict(src_dict)
        id = d.pop("id")

        kind = d.pop("kind")

        status = d.pop("status")

        artefact = d.pop("artefact")

        progress = Progress.from_dict(d.pop("progress"))

        attempt = d.pop("attempt")

        created_at = datetime.datetime.fromisoformat(d.pop("created_at"))

        def _parse_started_at(data: object) -> datetime.datetime | None:
            if data is None:
                return data
            try:
                if not isinstance(data, str):
                    raise TypeError()
                started_at_type_0 = datetime.datetime.fromisoformat(data)

                return started_at_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(datetime.datetime | None, data)

        started_at = _parse_started_at(d.pop("started_at"))

        def _parse_finished_at(data: object) -> datetime.datetime | None:
            if data is None:
                return data
            try:
                if not isinstance(data, str):
                    raise TypeError()
                finished_at_type_0 = datetime.datetime.fromisoformat(data)

                return finished_at_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(datetime.datetime | None, data)

        finished_at = _parse_finished_at(d.pop("finished_at"))

        def _parse_problem(data: object) -> None | Problem:
            if data is None:
                return data
            try:
                if not isinstance(data, dict):
                    raise TypeError()
                problem_type_0 = Problem.from_dict(data)

                return problem_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(None | Problem, data)

        problem = _parse_problem(d.pop("problem"))

        object_ = cast(Literal["job"] | Unset, d.pop("object", UNSET))
        if object_ != "job" and not isinstance(object_, Unset):
            raise ValueError(f"object must match const 'job', got '{object_}'")

        job = cls(
            id=id,
            kind=kind,
            status=status,
            artefact=artefact,
            progress=progress,
            attempt=attempt,
            created_at=created_at,
            started_at=started_at,
            finished_at=finished_at,
            problem=problem,
            object_=object_,
        )

        return job
