from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeVar, cast

from attrs import define as _attrs_define

from ...records import Record
from ..types import UNSET, Unset

if TYPE_CHECKING:
    from ..models.audit_leaf_step import AuditLeafStep
    from ..models.audited_class import AuditedClass
    from ..models.audited_row import AuditedRow


T = TypeVar("T", bound="LabelAuditResult")


@_attrs_define(repr=False)
class LabelAuditResult(Record):
    """Statistics of the audit and its first rows; all rows are in `/content`.

    Attributes:
        proximity_kind (str): How trees were weighted in the proximities.
        classes (list[str]): Classes in the order of the model's scores; empty for regression.
        n_rows (int): Number of rows of the dataset.
        n_trees (int): Number of trees of the model; 0 of an oracle.
        n_trees_used (int | None): Number of trees that count in proximities: those cut back to a single leaf do not,
            nor do those of boosting whose values do not vary. Null by plain distance (`euclidean`).
        n_neighbors (int | None): Number of nearest rows that voted on each row at most; null where all rows did.
        mean_agreement (float | None): Mean agreement of the rows that share a leaf with others, 0 to 1; null if none
            does.
        n_suggested (int): Number of rows for which another label is suggested: those to look at first, and no estimate
            of how many labels are wrong.
        by_class (list[AuditedClass]): The same by the rows' own labels, in the order of `classes`.
        n_without_neighbors (int): Number of rows that share no leaf with any other; they rank last.
        model_agreement (float): Share of rows whose label the model predicts.
        caution (None | str): Why the ranking may be weaker than it could be, in words; null without such a reason.
        rows (list[AuditedRow]): The first 100 rows, lowest support first.
        method (str | Unset): Who votes on a row's label. `all_rows`: all other rows, each with the weight of its
            proximity to the row; it finds more wrong labels and takes less time. `neighbors`: its `n_neighbors` nearest
            rows, each with one vote, as in the paper. Default: 'neighbors'.
        use_scores (bool | Unset): Whether the model's probability of a row's label counts towards its rank. Default:
            False.
        min_leaf_rows (int | Unset): The `min_leaf_rows` that was used: trees were cut back where a split left fewer
            reference rows on either side; 1: they were not cut. Default: 1.
        leaf_steps (list[AuditLeafStep] | Unset): What `auto` tried, in this order; empty where `min_leaf_rows` was
            given as a number.
    """

    proximity_kind: str
    classes: list[str]
    n_rows: int
    n_trees: int
    n_trees_used: int | None
    n_neighbors: int | None
    mean_agreement: float | None
    n_suggested: int
    by_class: list[AuditedClass]
    n_without_neighbors: int
    model_agreement: float
    caution: None | str
    rows: list[AuditedRow]
    method: str | Unset = "neighbors"
    use_scores: bool | Unset = False
    min_leaf_rows: int | Unset = 1
    leaf_steps: list[AuditLeafStep] | Unset = UNSET

    def to_dict(self) -> dict[str, Any]:
        proximity_kind = self.proximity_kind

        classes = self.classes

        n_rows = self.n_rows

        n_trees = self.n_trees

        n_trees_used: int | None
        n_trees_used = self.n_trees_used

        n_neighbors: int | None
        n_neighbors = self.n_neighbors

        mean_agreement: float | None
        mean_agreement = self.mean_agreement

        n_suggested = self.n_suggested

        by_class = []
        for by_class_item_data in self.by_class:
            by_class_item = by_class_item_data.to_dict()
            by_class.append(by_class_item)

        n_without_neighbors = self.n_without_neighbors

        model_agreement = self.model_agreement

        caution: None | str
        caution = self.caution

        rows = []
        for rows_item_data in self.rows:
            rows_item = rows_item_data.to_dict()
            rows.append(rows_item)

        method = self.method

        use_scores = self.use_scores

        min_leaf_rows = self.min_leaf_rows

        leaf_steps: list[dict[str, Any]] | Unset = UNSET
        if not isinstance(self.leaf_steps, Unset):
            leaf_steps = []
            for leaf_steps_item_data in self.leaf_steps:
                leaf_steps_item = leaf_steps_item_data.to_dict()
                leaf_steps.append(leaf_steps_item)

        field_dict: dict[str, Any] = {}

        field_dict.update(
            {
                "proximity_kind": proximity_kind,
                "classes": classes,
                "n_rows": n_rows,
                "n_trees": n_trees,
                "n_trees_used": n_trees_used,
                "n_neighbors": n_neighbors,
                "mean_agreement": mean_agreement,
                "n_suggested": n_suggested,
                "by_class": by_class,
                "n_without_neighbors": n_without_neighbors,
                "model_agreement": model_agreement,
                "caution": caution,
                "rows": rows,
            }
        )
        if method is not UNSET:
            field_dict["method"] = method
        if use_scores is not UNSET:
            field_dict["use_scores"] = use_scores
        if min_leaf_rows is not UNSET:
            field_dict["min_leaf_rows"] = min_leaf_rows
        if leaf_steps is not UNSET:
            field_dict["leaf_steps"] = leaf_steps

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.audit_leaf_step import AuditLeafStep  # noqa: PLC0415
        from ..models.audited_class import AuditedClass  # noqa: PLC0415
        from ..models.audited_row import AuditedRow  # noqa: PLC0415

        d = dict(src_dict)
        proximity_kind = d.pop("proximity_kind")

        classes = cast(list[str], d.pop("classes"))

        n_rows = d.pop("n_rows")

        n_trees = d.pop("n_trees")

        def _parse_n_trees_used(data: object) -> int | None:
            if data is None:
                return data
            return cast(int | None, data)

        n_trees_used = _parse_n_trees_used(d.pop("n_trees_used"))

        def _parse_n_neighbors(data: object) -> int | None:
            if data is None:
                return data
            return cast(int | None, data)

        n_neighbors = _parse_n_neighbors(d.pop("n_neighbors"))

        def _parse_mean_agreement(data: object) -> float | None:
            if data is None:
                return data
            return cast(float | None, data)

        mean_agreement = _parse_mean_agreement(d.pop("mean_agreement"))

        n_suggested = d.pop("n_suggested")

        by_class = []
        _by_class = d.pop("by_class")
        for by_class_item_data in _by_class:
            by_class_item = AuditedClass.from_dict(by_class_item_data)

            by_class.append(by_class_item)

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

        method = d.pop("method", UNSET)

        use_scores = d.pop("use_scores", UNSET)

        min_leaf_rows = d.pop("min_leaf_rows", UNSET)

        _leaf_steps = d.pop("leaf_steps", UNSET)
        leaf_steps: list[AuditLeafStep] | Unset = UNSET
        if _leaf_steps is not UNSET:
            leaf_steps = []
            for leaf_steps_item_data in _leaf_steps:
                leaf_steps_item = AuditLeafStep.from_dict(leaf_steps_item_data)

                leaf_steps.append(leaf_steps_item)

        label_audit_result = cls(
            proximity_kind=proximity_kind,
            classes=classes,
            n_rows=n_rows,
            n_trees=n_trees,
            n_trees_used=n_trees_used,
            n_neighbors=n_neighbors,
            mean_agreement=mean_agreement,
            n_suggested=n_suggested,
            by_class=by_class,
            n_without_neighbors=n_without_neighbors,
            model_agreement=model_agreement,
            caution=caution,
            rows=rows,
            method=method,
            use_scores=use_scores,
            min_leaf_rows=min_leaf_rows,
            leaf_steps=leaf_steps,
        )

        return label_audit_result
