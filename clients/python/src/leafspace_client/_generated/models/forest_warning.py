from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar

from attrs import define as _attrs_define

from ...records import Record

T = TypeVar("T", bound="ForestWarning")


@_attrs_define(repr=False)
class ForestWarning(Record):
    """A reason not to trust a forest.

    Attributes:
        code (str): Stable, machine-readable name. `no_better_than_constant`: out of bag it predicts no better than one
            answer for all examples would, though it predicts those that it was learned from far better; `tests_ids`: trees
            test columns in which nearly each row has another value, as ids have.
        detail (str): What is wrong, and what to do.
    """

    code: str
    detail: str

    def to_dict(self) -> dict[str, Any]:
        code = self.code

        detail = self.detail

        field_dict: dict[str, Any] = {}

        field_dict.update(
            {
                "code": code,
                "detail": detail,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        code = d.pop("code")

        detail = d.pop("detail")

        forest_warning = cls(
            code=code,
            detail=detail,
        )

        return forest_warning
