from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeVar, cast

from attrs import define as _attrs_define

from ...records import Record

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
        constant (ConstantScore): The scores of constant predictions.
    """

    model: BaselineScore | None
    one_nearest_neighbor: BaselineScore
    constant: ConstantScore

    def to_dict(self) -> dict[str, Any]:
        from ..models.baseline_score import BaselineScore  # noqa: PLC0415

        model: dict[str, Any] | None
        if isinstance(self.model, BaselineScore):
            model = self.model.to_dict()
        else:
            model = self.model

        one_nearest_neighbor = self.one_nearest_neighbor.to_dict()

        constant = self.constant.to_dict()

        field_dict: dict[str, Any] = {}

        field_dict.update(
            {
                "model": model,
                "one_nearest_neighbor": one_nearest_neighbor,
                "constant": constant,
            }
        )

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

        constant = ConstantScore.from_dict(d.pop("constant"))

        baseline = cls(
            model=model,
            one_nearest_neighbor=one_nearest_neighbor,
            constant=constant,
        )

        return baseline
