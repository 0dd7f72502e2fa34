from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeVar, cast

from attrs import define as _attrs_define

from ...records import Record

if TYPE_CHECKING:
    from ..models.share_interval import ShareInterval


T = TypeVar("T", bound="ShareComparison")


@_attrs_define(repr=False)
class ShareComparison(Record):
    """A share of the newer rows beside the same share of the reference rows, as if both were drawn independently.

    Attributes:
        share (float | None): Share of the newer rows, 0 to 1; null where there are none.
        interval (None | ShareInterval): Its 95 % interval (Wilson, 1927); null likewise.
        reference_share (float | None): Share of the reference rows, 0 to 1; null where there are none.
        reference_interval (None | ShareInterval): Its 95 % interval; null likewise.
        difference_interval (None | ShareInterval): Interval of `share` less `reference_share` (Newcombe, 1998, method
            10), so wide that all such intervals of the result hold together with 95 %: each has 1 - 0.05 / `n_comparisons`.
            Null where either share is.
        differs (bool): Whether `difference_interval` leaves 0 out: the shares differ by more than chance would explain.
    """

    share: float | None
    interval: None | ShareInterval
    reference_share: float | None
    reference_interval: None | ShareInterval
    difference_interval: None | ShareInterval
    differs: bool

    def to_dict(self) -> dict[str, Any]:
        from ..models.share_interval import ShareInterval  # noqa: PLC0415

        share: float | None
        share = self.share

        interval: dict[str, Any] | None
        if isinstance(self.interval, ShareInterval):
            interval = self.interval.to_dict()
        else:
            interval = self.interval

        reference_share: float | None
        reference_share = self.reference_share

        reference_interval: dict[str, Any] | None
        if isinstance(self.reference_interval, ShareInterval):
            reference_interval = self.reference_interval.to_dict()
        else:
            reference_interval = self.reference_interval

        difference_interval: dict[str, Any] | None
        if isinstance(self.difference_interval, ShareInterval):
            difference_interval = self.difference_interval.to_dict()
        else:
            difference_interval = self.difference_interval

        differs = self.differs

        field_dict: dict[str, Any] = {}

        field_dict.update(
            {
                "share": share,
                "interval": interval,
                "reference_share": reference_share,
                "reference_interval": reference_interval,
                "difference_interval": difference_interval,
                "differs": differs,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.share_interval import ShareInterval  # noqa: PLC0415

        d = dict(src_dict)

        def _parse_share(data: object) -> float | None:
            if data is None:
                return data
            return cast(float | None, data)

        share = _parse_share(d.pop("share"))

        def _parse_interval(data: object) -> None | ShareInterval:
            if data is None:
                return data
            try:
                if not isinstance(data, dict):
                    raise TypeError()
                interval_type_0 = ShareInterval.from_dict(data)

                return interval_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(None | ShareInterval, data)

        interval = _parse_interval(d.pop("interval"))

        def _parse_reference_share(data: object) -> float | None:
            if data is None:
                return data
            return cast(float | None, data)

        reference_share = _parse_reference_share(d.pop("reference_share"))

        def _parse_reference_interval(data: object) -> None | ShareInterval:
            if data is None:
                return data
            try:
                if not isinstance(data, dict):
                    raise TypeError()
                reference_interval_type_0 = ShareInterval.from_dict(data)

                return reference_interval_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(None | ShareInterval, data)

        reference_interval = _parse_reference_interval(d.pop("reference_interval"))

        def _parse_difference_interval(data: object) -> None | ShareInterval:
            if data is None:
                return data
            try:
                if not isinstance(data, dict):
                    raise TypeError()
                difference_interval_type_0 = ShareInterval.from_dict(data)

                return difference_interval_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(None | ShareInterval, data)

        difference_interval = _parse_difference_interval(d.pop("difference_interval"))

        differs = d.pop("differs")

        share_comparison = cls(
            share=share,
            interval=interval,
            reference_share=reference_share,
            reference_interval=reference_interval,
            difference_interval=difference_interval,
            differs=differs,
        )

        return share_comparison
