from __future__ import annotations

import datetime
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Literal, TypeVar, cast

from attrs import define as _attrs_define

from ...records import Record
from ..types import UNSET, Unset

if TYPE_CHECKING:
    from ..models.problem import Problem
    from ..models.proximities_request import ProximitiesRequest


T = TypeVar("T", bound="Proximities")


@_attrs_define(repr=False)
class Proximities(Record):
    """The nearest rows of every row, and how their making stands; what was found is null until it is ready.

    Attributes:
        id (str):
        status (str):
        job (None | str):
        created_at (datetime.datetime):
        request (ProximitiesRequest): Whose nearest rows, as which model sees them.
        object_ (Literal['proximities'] | Unset):  Default: 'proximities'.
        reused (bool | Unset): It had been asked for before. Default: False.
        problem (None | Problem | Unset):
        kind (None | str | Unset):
        n_rows (int | None | Unset):
        n_trees (int | None | Unset):
        n_neighbors (int | None | Unset):
        n_pairs (int | None | Unset):
        mean_nearest_proximity (float | None | Unset):
        share_without_neighbors (float | None | Unset):
    """

    id: str
    status: str
    job: None | str
    created_at: datetime.datetime
    request: ProximitiesRequest
    object_: Literal["proximities"] | Unset = "proximities"
    reused: bool | Unset = False
    problem: None | Problem | Unset = UNSET
    kind: None | str | Unset = UNSET
    n_rows: int | None | Unset = UNSET
    n_trees: int | None | Unset = UNSET
    n_neighbors: int | None | Unset = UNSET
    n_pairs: int | None | Unset = UNSET
    mean_nearest_proximity: float | None | Unset = UNSET
    share_without_neighbors: float | None | Unset = UNSET

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

        n_pairs: int | None | Unset
        if isinstance(self.n_pairs, Unset):
            n_pairs = UNSET
        else:
            n_pairs = self.n_pairs

        mean_nearest_proximity: float | None | Unset
        if isinstance(self.mean_nearest_proximity, Unset):
            mean_nearest_proximity = UNSET
        else:
            mean_nearest_proximity = self.mean_nearest_proximity

        share_without_neighbors: float | None | Unset
        if isinstance(self.share_without_neighbors, Unset):
            share_without_neighbors = UNSET
        else:
            share_without_neighbors = self.share_without_neighbors

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
        if n_rows is not UNSET:
            field_dict["n_rows"] = n_rows
        if n_trees is not UNSET:
            field_dict["n_trees"] = n_trees
        if n_neighbors is not UNSET:
            field_dict["n_neighbors"] = n_neighbors
        if n_pairs is not UNSET:
            field_dict["n_pairs"] = n_pairs
        if mean_nearest_proximity is not UNSET:
            field_dict["mean_nearest_proximity"] = mean_nearest_proximity
        if share_without_neighbors is not UNSET:
            field_dict["share_without_neighbors"] = share_without_neighbors

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.problem import Problem  # noqa: PLC0415
        from ..models.proximities_request import ProximitiesRequest  # noqa: PLC0415

        d = dict(src_dict)
        id = d.pop("id")

        status = d.pop("status")

        def _parse_job(data: object) -> None | str:
            if data is None:
                return data
            return cast(None | str, data)

        job = _parse_job(d.pop("job"))

        created_at = datetime.datetime.fromisoformat(d.pop("created_at"))

        request = ProximitiesRequest.from_dict(d.pop("request"))

        object_ = cast(Literal["proximities"] | Unset, d.pop("object", UNSET))
        if object_ != "proximities" and not isinstance(object_, Unset):
            raise ValueError(f"object must match const 'proximities', got '{object_}'")

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

        def _parse_n_pairs(data: object) -> int | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(int | None | Unset, data)

        n_pairs = _parse_n_pairs(d.pop("n_pairs", UNSET))

        def _parse_mean_nearest_proximity(data: object) -> float | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(float | None | Unset, data)

        mean_nearest_proximity = _parse_mean_nearest_proximity(d.pop("mean_nearest_proximity", UNSET))

        def _parse_share_without_neighbors(data: object) -> float | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(float | None | Unset, data)

        share_without_neighbors = _parse_share_without_neighbors(d.pop("share_without_neighbors", UNSET))

        proximities = cls(
            id=id,
            status=status,
            job=job,
            created_at=created_at,
            request=request,
            object_=object_,
            reused=reused,
            problem=problem,
            kind=kind,
            n_rows=n_rows,
            n_trees=n_trees,
            n_neighbors=n_neighbors,
            n_pairs=n_pairs,
            mean_nearest_proximity=mean_nearest_proximity,
            share_without_neighbors=share_without_neighbors,
        )

        return proximities
