from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeVar, cast

from attrs import define as _attrs_define

from ...records import Record

if TYPE_CHECKING:
    from ..models.comparison import Comparison
    from ..models.drift import Drift
    from ..models.report_input import ReportInput
    from ..models.report_part import ReportPart


T = TypeVar("T", bound="ReportResult")


@_attrs_define(repr=False)
class ReportResult(Record):
    """The file's digest and what it was drawn from; the file is in `/content`.

    Attributes:
        sha256 (str): SHA-256 of the file.
        n_bytes (int): Size of the file in bytes.
        service (str): Version of the service that drew it.
        parts (list[ReportPart]): Its parts in their order.
        inputs (list[ReportInput]): What it shows, with digests.
        comparison (Comparison | None): The other model beside this one; null: none was named.
        drift (Drift | None): The newer rows beside the reference rows; null: none were named.
    """

    sha256: str
    n_bytes: int
    service: str
    parts: list[ReportPart]
    inputs: list[ReportInput]
    comparison: Comparison | None
    drift: Drift | None

    def to_dict(self) -> dict[str, Any]:
        from ..models.comparison import Comparison  # noqa: PLC0415
        from ..models.drift import Drift  # noqa: PLC0415

        sha256 = self.sha256

        n_bytes = self.n_bytes

        service = self.service

        parts = []
        for parts_item_data in self.parts:
            parts_item = parts_item_data.to_dict()
            parts.append(parts_item)

        inputs = []
        for inputs_item_data in self.inputs:
            inputs_item = inputs_item_data.to_dict()
            inputs.append(inputs_item)

        comparison: dict[str, Any] | None
        if isinstance(self.comparison, Comparison):
            comparison = self.comparison.to_dict()
        else:
            comparison = self.comparison

        drift: dict[str, Any] | None
        if isinstance(self.drift, Drift):
            drift = self.drift.to_dict()
        else:
            drift = self.drift

        field_dict: dict[str, Any] = {}

        field_dict.update(
            {
                "sha256": sha256,
                "n_bytes": n_bytes,
                "service": service,
                "parts": parts,
                "inputs": inputs,
                "comparison": comparison,
                "drift": drift,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.comparison import Comparison  # noqa: PLC0415
        from ..models.drift import Drift  # noqa: PLC0415
        from ..models.report_input import ReportInput  # noqa: PLC0415
        from ..models.report_part import ReportPart  # noqa: PLC0415

        d = dict(src_dict)
        sha256 = d.pop("sha256")

        n_bytes = d.pop("n_bytes")

        service = d.pop("service")

        parts = []
        _parts = d.pop("parts")
        for parts_item_data in _parts:
            parts_item = ReportPart.from_dict(parts_item_data)

            parts.append(parts_item)

        inputs = []
        _inputs = d.pop("inputs")
        for inputs_item_data in _inputs:
            inputs_item = ReportInput.from_dict(inputs_item_data)

            inputs.append(inputs_item)

        def _parse_comparison(data: object) -> Comparison | None:
            if data is None:
                return data
            try:
                if not isinstance(data, dict):
                    raise TypeError()
                comparison_type_0 = Comparison.from_dict(data)

                return comparison_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(Comparison | None, data)

        comparison = _parse_comparison(d.pop("comparison"))

        def _parse_drift(data: object) -> Drift | None:
            if data is None:
                return data
            try:
                if not isinstance(data, dict):
                    raise TypeError()
                drift_type_0 = Drift.from_dict(data)

                return drift_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(Drift | None, data)

        drift = _parse_drift(d.pop("drift"))

        report_result = cls(
            sha256=sha256,
            n_bytes=n_bytes,
            service=service,
            parts=parts,
            inputs=inputs,
            comparison=comparison,
            drift=drift,
        )

        return report_result
