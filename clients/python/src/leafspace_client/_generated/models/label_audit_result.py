from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeVar, cast

from attrs import define as _attrs_define

from ...records import Record

if TYPE_CHECKING:
    from ..models.audited_row import AuditedRow


T = TypeVar("T", bound="LabelAuditResult")


@_attrs_define(repr=False)
class LabelAuditResult(Record):
    """Statistics of the audit and its first rows; all rows are in `/content`.

    Attributes:
        proximity_kind (str): How trees were weighted in the proximities.
        classes (list[str]): Classes in the order of the model's scores; empty for regression.
        n_rows (int): Number of rows of the dataset.
        n_trees (int): Number of trees of the model.
        n_neighbors (int): Number of nearest rows of each row; less than the number of rows of the dataset.
        mean_agreement (float | None): Mean agreement of the rows that have neighbours, 0 to 1; null if none has.
        n_suggested (int): Number of rows for which another label is suggested.
        n_without_neighbors (int): Number of rows that share no leaf with any other; they rank last.
        model_agreement (float): Share of rows whose label the model predicts.
        caution (None | str): Why the ranking may be weaker than it could be, in words; null without such a reason.
        rows (list[AuditedRow]): The first 100 rows, lowest agreement first.
    """

    proximity_kind: str
    classes: list[str]
    n_rows: int
    n_trees: int
    n_neighbors: int
    mean_agreement: float | None
    n_suggested: int
    n_without_neighbors: int
    model_agreement: float
    caution: None | str
    rows: list[AuditedRow]

    def to_dict(self) -> dict[str, Any]:
        proximity_kind = self.proximity_kind

        classes = self.classes

        n_rows = self.n_rows

        n_trees = self.n_trees

        n_neighbors = self.n_neighbors

        mean_agreement: float | None
        mean_agreement = self.mean_agreement

        n_suggested = self.n_suggested

        n_without_neighbors = self.n_without_neighbors

        model_agreement = self.model_agreement

        caution: None | str
        caution = self.caution

        rows = []
        for rows_item_data in self.rows:
            rows_item = rows_item_data.to_dict()
            rows.append(rows_item)

        field_dict: dict[str, Any] = {}

        field_dict.update(
            {
                "proximity_kind": proximity_kind,
                "classes": classes,
                "n_rows": n_rows,
                "n_trees": n_trees,
                "n_neighbors": n_neighbors,
                "mean_agreement": mean_agreement,
                "n_suggested": n_suggested,
                "n_without_neighbors": n_without_neighbors,
                "model_agreement": model_agreement,
                "caution": caution,
                "rows": rows,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.audited_row import AuditedRow  # noqa: PLC0415

        d = dict(src_dict)
        proximity_kind = d.pop("proximity_kind")

        classes = cast(list[str], d.pop("classes"))

        n_rows = d.pop("n_rows")

        n_trees = d.pop("n_trees")

        n_neighbors = d.pop("n_neighbors")

        def _parse_mean_agreement(data: object) -> float | None:
            if data is None:
                return data
            return cast(float | None, data)

        mean_agreement = _parse_mean_agreement(d.pop("mean_agreement"))

        n_suggested = d.pop("n_suggested")

        n_without_neighbors = d.pop("n_without_neighbors")

        model_agreement = d.pop("model_agreement")

        def _parse_caution(data: object) -> None | str:
            if data is None:
                return data
            return cast(None | str, data)

        caution = _parse_caution(d.pop("caution"))

        rows = []
        _rows = d.pop("rows")
        for rows_item_data in _rows:
            rows_item = AuditedRow.from_dict(rows_item_data)

            rows.append(rows_item)

        label_audit_result = cls(
            proximity_kind=proximity_kind,
            classes=classes,
            n_rows=n_rows,
            n_trees=n_trees,
            n_neighbors=n_neighbors,
            mean_agreement=mean_agreement,
            n_suggested=n_suggested,
            n_without_neighbors=n_without_neighbors,
            model_agreement=model_agreement,
            caution=caution,
            rows=rows,
        )

        return label_audit_result
