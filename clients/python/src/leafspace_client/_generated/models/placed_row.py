from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeVar, cast

from attrs import define as _attrs_define

from ...records import Record
from ..types import UNSET, Unset

if TYPE_CHECKING:
    from ..models.problem import Problem


T = TypeVar("T", bound="PlacedRow")


@_attrs_define(repr=False)
class PlacedRow(Record):
    """Where a new row stands on the map.

    Attributes:
        row_id (str): Id of the row: the caller's or, without one, the default of the request's `row_ids`.
        status (str): `error` if the row could not be read; see `problem`.
        x (float | None): Place from left to right; null for a row that shares no leaf with the map's.
        y (float | None): Place from bottom to top; null likewise.
        proximity (float | None): Proximity to the nearest row of the map, 0 to 1; null with an error.
        problem (None | Problem | Unset): Why the row has no place; null without error.
    """

    row_id: str
    status: str
    x: float | None
    y: float | None
    proximity: float | None
    problem: None | Problem | Unset = UNSET

    def to_dict(self) -> dict[str, Any]:
        from ..models.problem import Problem  # noqa: PLC0415

        row_id = self.row_id

        status = self.status

        x: float | None
        x = self.x

        y: float | None
        y = self.y

        proximity: float | None
        proximity = self.proximity

        problem: dict[str, Any] | None | Unset
        if isinstance(self.problem, Unset):
            problem = UNSET
        elif isinstance(self.problem, Problem):
            problem = self.problem.to_dict()
        else:
            problem = self.problem

        field_dict: dict[str, Any] = {}

        field_dict.update(
            {
                "row_id": row_id,
                "status": status,
                "x": x,
                "y": y,
                "proximity": proximity,
            }
        )
        if problem is not UNSET:
            field_dict["problem"] = problem

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.problem import Problem  # noqa: PLC0415

        d = dict(src_dict)
        row_id = d.pop("row_id")

        status = d.pop("status")

        def _parse_x(data: object) -> float | None:
            if data is None:
                return data
            return cast(float | None, data)

        x = _parse_x(d.pop("x"))

        def _parse_y(data: object) -> float | None:
            if data is None:
                return data
            return cast(float | None, data)

        y = _parse_y(d.pop("y"))

        def _parse_proximity(data: object) -> float | None:
            if data is None:
                return data
            return cast(float | None, data)

        proximity = _parse_proximity(d.pop("proximity"))

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

        placed_row = cls(
            row_id=row_id,
            status=status,
            x=x,
            y=y,
            proximity=proximity,
            problem=problem,
        )

        return placed_row
