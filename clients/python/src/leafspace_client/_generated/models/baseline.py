from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeVar, cast

from attrs import define as _attrs_define

from ...records import Record
from ..types import UNSET, Unset

if TYPE_CHECKING:
    from ..models.baseline_score import BaselineScore
    from ..models.constant_score import ConstantScore


T = TypeVar("T", bound="Baseline")


@_attrs_define(repr=False)
class Baseline(Record):
    """Scores of the model, of the nearest other row of the dataset, and of constant predictions.

    Attributes:
        model (BaselineScore | None): Scores of the model itself; null if the dataset has no target.
        one_nearest_neighbor (BaselineScore): The same measures for a baseline.
        constant (ConstantScore | None | Unset): Scores of predicting the same for every row. Null in sets that were
            made before these existed.
    """

    model: BaselineScore | None
    one_nearest_neighbor: BaselineScore
    constant: ConstantScore | None | Unset = UNSET

    def to_dict(self) -> dict[str, Any]:
        from ..models.baseline_score import BaselineScore  # noqa: PLC0415
        from ..models.constant_score import ConstantScore  # noqa: PLC0415

        model: dict[str, Any] | None
        if isinstance(self.model, BaselineScore):
            model = self.model.to_dict()
        else:
            model = self.model

        one_nearest_neighbor = self.one_nearest_neighbor.to_dict()

        constant: dict[str, Any] | None | Unset
        if isinstance(self.constant, Unset):
            constant = UNSET
        elif isinstance(self.constant, ConstantScore):
            constant = self.constant.to_dict()
        else:
            constant = self.constant

        field_dict: dict[str, Any] = {}

        field_dict.update(
            {
                "model": model,
                "one_nearest_neighbor": one_nearest_neighbor,
            }
        )
        if constant is not UNSET:
            field_dict["constant"] = constant

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.baseline_score import BaselineScore  # noqa: PLC0415
        from ..models.constant_score import ConstantScore  # noqa: PLC0415

        d = dict(src_dict)

        def _parse_model(data: object) -> BaselineScore | None:
            if data is None:
                return data
            try:
                if not isinstance(data, dict):
                    raise TypeError()
                model_type_0 = BaselineScore.from_dict(data)

                return model_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(BaselineScore | None, data)

        model = _parse_model(d.pop("model"))

        one_nearest_neighbor = BaselineScore.from_dict(d.pop("one_nearest_neighbor"))

        def _parse_constant(data: object) -> ConstantScore | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            try:
                if not isinstance(data, dict):
                    raise TypeError()
                constant_type_0 = ConstantScore.from_dict(data)

                return constant_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(ConstantScore | None | Unset, data)

        constant = _parse_constant(d.pop("constant", UNSET))

        baseline = cls(
            model=model,
            one_nearest_neighbor=one_nearest_neighbor,
            constant=constant,
        )

        return baseline
