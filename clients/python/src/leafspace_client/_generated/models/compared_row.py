from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeVar, cast

from attrs import define as _attrs_define

from ...records import Record
from ..types import UNSET, Unset

if TYPE_CHECKING:
    from ..models.problem import Problem


T = TypeVar("T", bound="ComparedRow")


@_attrs_define(repr=False)
class ComparedRow(Record):
    """Whether a row could be compared, or why not.

    Attributes:
        row_id (str): Id of the row: the caller's or, without one, the default of the request's `row_ids`.
        status (str): `error` if the row could not be compared; see `problem`.
        problem (None | Problem | Unset): Why the row could not be compared; null without error.
    """

    row_id: str
    status: str
    problem: None | Problem | Unset = UNSET

    def to_dict(self) -> dict[str, Any]:
        from ..models.problem import Problem  # noqa: PLC0415

        row_id = self.row_id

        status = self.status

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

        compared_row = cls(
            row_id=row_id,
            status=status,
            problem=problem,
        )

        return compared_row
