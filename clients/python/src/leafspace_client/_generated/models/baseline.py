from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeVar, cast

from attrs import define as _attrs_define

if TYPE_CHECKING:
    from ..models.baseline_score import BaselineScore


T = TypeVar("T", bound="Baseline")


@_attrs_define
class Baseline:
    """The model itself, and the nearest of all rows (not counting the row itself).

    Attributes:
        model (BaselineScore | None): Null where the dataset has no target.
        one_nearest_neighbor (BaselineScore): The same measures for what prototypes are compared with.
    """

    model: BaselineScore | None
    one_nearest_neighbor: BaselineScore

    def to_dict(self) -> dict[str, Any]:
        from ..models.baseline_score import BaselineScore  # noqa: PLC0415

        model: dict[str, Any] | None
        if isinstance(self.model, BaselineScore):
            model = self.model.to_dict()
        else:
            model = self.model

        one_nearest_neighbor = self.one_nearest_neighbor.to_dict()

        field_dict: dict[str, Any] = {}

        field_dict.update(
            {
                "model": model,
                "one_nearest_neighbor": one_nearest_neighbor,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.baseline_score import BaselineScore  # noqa: PLC0415

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

        baseline = cls(
            model=model,
            one_nearest_neighbor=one_nearest_neighbor,
        )

        return baseline
