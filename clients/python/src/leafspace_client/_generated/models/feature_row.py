from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Literal, TypeVar, cast

from attrs import define as _attrs_define

from ...records import Record
from ..types import UNSET, Unset

if TYPE_CHECKING:
    from ..models.problem import Problem


T = TypeVar("T", bound="FeatureRow")


@_attrs_define(repr=False)
class FeatureRow(Record):
    """The values of one example's features, or why there are none.

    Attributes:
        row_id (str): Primary key of the example as text, its columns parted by commas; its 0-based index without one.
        status (str): `error` if the example could not be read; see `problem`.
        object_ (Literal['feature_row'] | Unset): Type of this object. Default: 'feature_row'.
        values (list[bool | float | None | str] | None | Unset): Values of the features in their order, null where
            missing; null with an error.
        problem (None | Problem | Unset): Why the example could not be read; null without error.
    """

    row_id: str
    status: str
    object_: Literal["feature_row"] | Unset = "feature_row"
    values: list[bool | float | None | str] | None | Unset = UNSET
    problem: None | Problem | Unset = UNSET

    def to_dict(self) -> dict[str, Any]:
        from ..models.problem import Problem  # noqa: PLC0415

        row_id = self.row_id

        status = self.status

        object_ = self.object_

        values: list[bool | float | None | str] | None | Unset
        if isinstance(self.values, Unset):
            values = UNSET
        elif isinstance(self.values, list):
            values = []
            for values_type_0_item_data in self.values:
                values_type_0_item: bool | float | None | str
                values_type_0_item = values_type_0_item_data
                values.append(values_type_0_item)

        else:
            values = self.values

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
        if object_ is not UNSET:
            field_dict["object"] = object_
        if values is not UNSET:
            field_dict["values"] = values
        if problem is not UNSET:
            field_dict["problem"] = problem

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.problem import Problem  # noqa: PLC0415

        d = dict(src_dict)
        row_id = d.pop("row_id")

        status = d.pop("status")

        object_ = cast(Literal["feature_row"] | Unset, d.pop("object", UNSET))
        if object_ != "feature_row" and not isinstance(object_, Unset):
            raise ValueError(f"object must match const 'feature_row', got '{object_}'")

        def _parse_values(data: object) -> list[bool | float | None | str] | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            try:
                if not isinstance(data, list):
                    raise TypeError()
                values_type_0 = []
                _values_type_0 = data
                for values_type_0_item_data in _values_type_0:

                    def _parse_values_type_0_item(data: object) -> bool | float | None | str:
                        if data is None:
                            return data
                        return cast(bool | float | None | str, data)

                    values_type_0_item = _parse_values_type_0_item(values_type_0_item_data)

                    values_type_0.append(values_type_0_item)

                return values_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(list[bool | float | None | str] | None | Unset, data)

        values = _parse_values(d.pop("values", UNSET))

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

        feature_row = cls(
            row_id=row_id,
            status=status,
            object_=object_,
            values=values,
            problem=problem,
        )

        return feature_row
