from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, cast

from attrs import define as _attrs_define

from ...records import Record

T = TypeVar("T", bound="DepthValidation")


@_attrs_define(repr=False)
class DepthValidation(Record):
    """The errors by which the depth was chosen, on rows that the tree was not grown from.

    Attributes:
        errors (list[float]): Mean error of the tree cut off at each depth, from 0 splits on. `max_depth: validate`: the
            share of fresh pseudo-samples with another label than the model's, for regression the squared error;
            `born_again`: the squared error of the scores in cross-validation.
        standard_errors (list[float]): Standard error of each of these, from the folds of the rows.
        depth (int): Depth that was chosen: the smallest from 1 on whose error is within one standard error of the
            least. The tree is not deeper.
    """

    errors: list[float]
    standard_errors: list[float]
    depth: int

    def to_dict(self) -> dict[str, Any]:
        errors = self.errors

        standard_errors = self.standard_errors

        depth = self.depth

        field_dict: dict[str, Any] = {}

        field_dict.update(
            {
                "errors": errors,
                "standard_errors": standard_errors,
                "depth": depth,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        errors = cast(list[float], d.pop("errors"))

        standard_errors = cast(list[float], d.pop("standard_errors"))

        depth = d.pop("depth")

        depth_validation = cls(
            errors=errors,
            standard_errors=standard_errors,
            depth=depth,
        )

        return depth_validation
