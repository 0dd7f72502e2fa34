from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeVar, cast

from attrs import define as _attrs_define

from ...records import Record
from ..types import UNSET, Unset

if TYPE_CHECKING:
    from ..models.explanation_set_sizes import ExplanationSetSizes
    from ..models.label_count import LabelCount
    from ..models.level_count import LevelCount
    from ..models.warning_count import WarningCount


T = TypeVar("T", bound="ExplanationSetResult")


@_attrs_define(repr=False)
class ExplanationSetResult(Record):
    """Statistics of all rows together; the explanations themselves are in `/content`.

    Attributes:
        model (str): Id of the model.
        n_rows (int): Number of rows of the dataset.
        n_explained (int): Number of rows that were explained.
        n_refused (int): Number of rows that the model does not accept; each has a `problem`.
        n_unassigned (int): Number of explained rows that share no leaf with any prototype.
        agreement (float | None): Share of the explained rows whose nearest prototype has the label that the model
            predicts, 0 to 1; null for regression, or where no row is explained.
        labels (list[LabelCount]): Predicted labels of the explained rows, in the order of the classes; empty for
            regression.
        typicality (list[LevelCount]): Explained rows by level of typicality; empty where all rows of the dataset are
            prototypes.
        mean_proximity (float | None): Mean proximity of the explained rows to their nearest prototypes, 0 to 1, where
            unassigned rows count as 0; null where no row is explained.
        n_bytes (ExplanationSetSizes): Sizes of the explanations in bytes.
        n_abstained (int | Unset): Number of these from which the explainer abstained (see its `abstain_below`).
            Default: 0.
        warnings (list[WarningCount] | Unset): Explained rows by code of their warnings, in alphabetical order, without
            codes that no row has.
    """

    model: str
    n_rows: int
    n_explained: int
    n_refused: int
    n_unassigned: int
    agreement: float | None
    labels: list[LabelCount]
    typicality: list[LevelCount]
    mean_proximity: float | None
    n_bytes: ExplanationSetSizes
    n_abstained: int | Unset = 0
    warnings: list[WarningCount] | Unset = UNSET

    def to_dict(self) -> dict[str, Any]:
        model = self.model

        n_rows = self.n_rows

        n_explained = self.n_explained

        n_refused = self.n_refused

        n_unassigned = self.n_unassigned

        agreement: float | None
        agreement = self.agreement

        labels = []
        for labels_item_data in self.labels:
            labels_item = labels_item_data.to_dict()
            labels.append(labels_item)

        typicality = []
        for typicality_item_data in self.typicality:
            typicality_item = typicality_item_data.to_dict()
            typicality.append(typicality_item)

        mean_proximity: float | None
        mean_proximity = self.mean_proximity

        n_bytes = self.n_bytes.to_dict()

        n_abstained = self.n_abstained

        warnings: list[dict[str, Any]] | Unset = UNSET
        if not isinstance(self.warnings, Unset):
            warnings = []
            for warnings_item_data in self.warnings:
                warnings_item = warnings_item_data.to_dict()
                warnings.append(warnings_item)

        field_dict: dict[str, Any] = {}

        field_dict.update(
            {
                "model": model,
                "n_rows": n_rows,
                "n_explained": n_explained,
                "n_refused": n_refused,
                "n_unassigned": n_unassigned,
                "agreement": agreement,
                "labels": labels,
                "typicality": typicality,
                "mean_proximity": mean_proximity,
                "n_bytes": n_bytes,
            }
        )
        if n_abstained is not UNSET:
            field_dict["n_abstained"] = n_abstained
        if warnings is not UNSET:
            field_dict["warnings"] = warnings

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.explanation_set_sizes import ExplanationSetSizes  # noqa: PLC0415
        from ..models.label_count import LabelCount  # noqa: PLC0415
        from ..models.level_count import LevelCount  # noqa: PLC0415
        from ..models.warning_count import WarningCount  # noqa: PLC0415

        d = dict(src_dict)
        model = d.pop("model")

        n_rows = d.pop("n_rows")

        n_explained = d.pop("n_explained")

        n_refused = d.pop("n_refused")

        n_unassigned = d.pop("n_unassigned")

        def _parse_agreement(data: object) -> float | None:
            if data is None:
                return data
            return cast(float | None, data)

        agreement = _parse_agreement(d.pop("agreement"))

        labels = []
        _labels = d.pop("labels")
        for labels_item_data in _labels:
            labels_item = LabelCount.from_dict(labels_item_data)

            labels.append(labels_item)

        typicality = []
        _typicality = d.pop("typicality")
        for typicality_item_data in _typicality:
            typicality_item = LevelCount.from_dict(typicality_item_data)

            typicality.append(typicality_item)

        def _parse_mean_proximity(data: object) -> float | None:
            if data is None:
                return data
            return cast(float | None, data)

        mean_proximity = _parse_mean_proximity(d.pop("mean_proximity"))

        n_bytes = ExplanationSetSizes.from_dict(d.pop("n_bytes"))

        n_abstained = d.pop("n_abstained", UNSET)

        _warnings = d.pop("warnings", UNSET)
        warnings: list[WarningCount] | Unset = UNSET
        if _warnings is not UNSET:
            warnings = []
            for warnings_item_data in _warnings:
                warnings_item = WarningCount.from_dict(warnings_item_data)

                warnings.append(warnings_item)

        explanation_set_result = cls(
            model=model,
            n_rows=n_rows,
            n_explained=n_explained,
            n_refused=n_refused,
            n_unassigned=n_unassigned,
            agreement=agreement,
            labels=labels,
            typicality=typicality,
            mean_proximity=mean_proximity,
            n_bytes=n_bytes,
            n_abstained=n_abstained,
            warnings=warnings,
        )

        return explanation_set_result
