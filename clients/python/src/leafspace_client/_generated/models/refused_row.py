from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Literal, TypeVar, cast

from attrs import define as _attrs_define

from ...records import Record
from ..types import UNSET, Unset

if TYPE_CHECKING:
    from ..models.problem import Problem


T = TypeVar("T", bound="RefusedRow")


@_attrs_define(repr=False)
class RefusedRow(Record):
    """Why a row could not be explained.

    Attributes:
        row_id (str): Id of the row: the caller's or, without one, the default of the request's `row_ids`.
        status (str): `error`: the row could not be explained; see `problem`.
        problem (Problem): Why a request failed, and what to do (application/problem+json).
        object_ (Literal['explanation'] | Unset): Type of this object. Default: 'explanation'.
    """

    row_id: str
    status: str
    problem: Problem
    object_: Literal["explanation"] | Unset = "explanation"

    def to_dict(self) -> dict[str, Any]:
        row_id = self.row_id

        status = self.status

        problem = self.problem.to_dict()

        object_ = self.object_

        field_dict: dict[str, Any] = {}

        field_dict.update(
            {
                "row_id": row_id,
                "status": status,
                "problem": problem,
            }
        )
        if object_ is not UNSET:
            field_dict["object"] = object_

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.problem import Problem  # noqa: PLC0415

        d = dict(src_dict)
        row_id = d.pop("row_id")

        status = d.pop("status")

        problem = Problem.from_dict(d.pop("problem"))

        object_ = cast(Literal["explanation"] | Unset, d.pop("object", UNSET))
        if object_ != "explanation" and not isinstance(object_, Unset):
            raise ValueError(f"object must match const 'explanation', got '{object_}'")

        refused_row = cls(
            row_id=row_id,
            status=status,
            problem=problem,
            object_=object_,
        )

        return refused_row
