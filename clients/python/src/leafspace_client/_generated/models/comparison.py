from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeVar, cast

from attrs import define as _attrs_define

from ...records import Record

if TYPE_CHECKING:
    from ..models.label_change import LabelChange


T = TypeVar("T", bound="Comparison")


@_attrs_define(repr=False)
class Comparison(Record):
    """Two models on the same rows.

    Attributes:
        other_model (str): Id of the other model.
        n_rows (int): Number of rows that both models accept.
        n_refused (int): Number of rows that one of them does not accept.
        n_changed (int | None): Number of rows whose predicted label differs; null for regression.
        changes (list[LabelChange]): Changes of the label by number of rows, the most frequent first, at most 20; empty
            for regression.
        mean_difference (float | None): Mean absolute difference of the predicted values; null for classification.
        prototypes_agreement (float | None): Share of the rows whose nearest prototypes have the same label, or none, 0
            to 1; null for regression.
        rules_agreement (float | None): Share of the rows for which both rule sets predict the same label, 0 to 1; null
            for regression, and without two rule sets of which the first rule that holds decides.
        trees_agreement (float | None): Share of the rows for which both approximation trees predict the same label, 0
            to 1; null for regression, and without two trees.
        prototypes_in_both (list[str]): Ids of rows that are prototypes of both; empty where they are of different
            datasets.
        rules_in_both (list[str]): Texts of rules that both rule sets have.
        tree_features_in_both (list[str]): Features that both approximation trees split on.
    """

    other_model: str
    n_rows: int
    n_refused: int
    n_changed: int | None
    changes: list[LabelChange]
    mean_difference: float | None
    prototypes_agreement: float | None
    rules_agreement: float | None
    trees_agreement: float | None
    prototypes_in_both: list[str]
    rules_in_both: list[str]
    tree_features_in_both: list[str]

    def to_dict(self) -> dict[str, Any]:
        other_model = self.other_model

        n_rows = self.n_rows

        n_refused = self.n_refused

        n_changed: int | None
        n_changed = self.n_changed

        changes = []
        for changes_item_data in self.changes:
            changes_item = changes_item_data.to_dict()
            changes.append(changes_item)

        mean_difference: float | None
        mean_difference = self.mean_difference

        prototypes_agreement: float | None
        prototypes_agreement = self.prototypes_agreement

        rules_agreement: float | None
        rules_agreement = self.rules_agreement

        trees_agreement: float | None
        trees_agreement = self.trees_agreement

        prototypes_in_both = self.prototypes_in_both

        rules_in_both = self.rules_in_both

        tree_features_in_both = self.tree_features_in_both

        field_dict: dict[str, Any] = {}

        field_dict.update(
            {
                "other_model": other_model,
                "n_rows": n_rows,
                "n_refused": n_refused,
                "n_changed": n_changed,
                "changes": changes,
                "mean_difference": mean_difference,
                "prototypes_agreement": prototypes_agreement,
                "rules_agreement": rules_agreement,
                "trees_agreement": trees_agreement,
                "prototypes_in_both": prototypes_in_both,
                "rules_in_both": rules_in_both,
                "tree_features_in_both": tree_features_in_both,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.label_change import LabelChange  # noqa: PLC0415

        d = dict(src_dict)
        other_model = d.pop("other_model")

        n_rows = d.pop("n_rows")

        n_refused = d.pop("n_refused")

        def _parse_n_changed(data: object) -> int | None:
            if data is None:
                return data
            return cast(int | None, data)

        n_changed = _parse_n_changed(d.pop("n_changed"))

        changes = []
        _changes = d.pop("changes")
        for changes_item_data in _changes:
            changes_item = LabelChange.from_dict(changes_item_data)

            changes.append(changes_item)

        def _parse_mean_difference(data: object) -> float | None:
            if data is None:
                return data
            return cast(float | None, data)

        mean_difference = _parse_mean_difference(d.pop("mean_difference"))

        def _parse_prototypes_agreement(data: object) -> float | None:
            if data is None:
                return data
            return cast(float | None, data)

        prototypes_agreement = _parse_prototypes_agreement(d.pop("prototypes_agreement"))

        def _parse_rules_agreement(data: object) -> float | None:
            if data is None:
                return data
            return cast(float | None, data)

        rules_agreement = _parse_rules_agreement(d.pop("rules_agreement"))

        def _parse_trees_agreement(data: object) -> float | None:
            if data is None:
                return data
            return cast(float | None, data)

        trees_agreement = _parse_trees_agreement(d.pop("trees_agreement"))

        prototypes_in_both = cast(list[str], d.pop("prototypes_in_both"))

        rules_in_both = cast(list[str], d.pop("rules_in_both"))

        tree_features_in_both = cast(list[str], d.pop("tree_features_in_both"))

        comparison = cls(
            other_model=other_model,
            n_rows=n_rows,
            n_refused=n_refused,
            n_changed=n_changed,
            changes=changes,
            mean_difference=mean_difference,
            prototypes_agreement=prototypes_agreement,
            rules_agreement=rules_agreement,
            trees_agreement=trees_agreement,
            prototypes_in_both=prototypes_in_both,
            rules_in_both=rules_in_both,
            tree_features_in_both=tree_features_in_both,
        )

        return comparison
