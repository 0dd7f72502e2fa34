from __future__ import annotations

import datetime
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Literal, TypeVar, cast

from attrs import define as _attrs_define

from ...records import Record
from ..types import UNSET, Unset

if TYPE_CHECKING:
    from ..models.searched_rows import SearchedRows


T = TypeVar("T", bound="Explainer")


@_attrs_define(repr=False)
class Explainer(Record):
    """A registered explainer.

    Attributes:
        id (str): Id of the explainer, derived from its request.
        name (None | str): Name of the explainer; null without one.
        model (str): Id of the model.
        prototype_set (str): Id of the prototype set.
        created_at (datetime.datetime): Time of creation, in UTC (RFC 3339).
        shown_features (list[str] | str): `all`, or the names of some features.
        object_ (Literal['explainer'] | Unset): Type of this object. Default: 'explainer'.
        rule_set (None | str | Unset): Id of the rule set; null without one.
        approximation_tree (None | str | Unset): Id of the approximation tree; null without one.
        abstain_below (float | None | Unset): Percentile of `typicality` below which a row is not explained; null: none
            is.
        store_explanations (bool | Unset): Whether each explanation is stored. Default: False.
        nearest_rows (None | SearchedRows | Unset): Reference rows that `nearest_rows` can search; null where none are
            kept: for more than 250,000,000 rows x (trees + features), and with `euclidean`.
    """

    id: str
    name: None | str
    model: str
    prototype_set: str
    created_at: datetime.datetime
    shown_features: list[str] | str
    object_: Literal["explainer"] | Unset = "explainer"
    rule_set: None | str | Unset = UNSET
    approximation_tree: None | str | Unset = UNSET
    abstain_below: float | None | Unset = UNSET
    store_explanations: bool | Unset = False
    nearest_rows: None | SearchedRows | Unset = UNSET

    def to_dict(self) -> dict[str, Any]:
        from ..models.searched_rows import SearchedRows  # noqa: PLC0415

        id = self.id

        name: None | str
        name = self.name

        model = self.model

        prototype_set = self.prototype_set

        created_at = self.created_at.isoformat()

        shown_features: list[str] | str
        if isinstance(self.shown_features, list):
            shown_features = self.shown_features

        else:
            shown_features = self.shown_features

        object_ = self.object_

        rule_set: None | str | Unset
        if isinstance(self.rule_set, Unset):
            rule_set = UNSET
        else:
            rule_set = self.rule_set

        approximation_tree: None | str | Unset
        if isinstance(self.approximation_tree, Unset):
            approximation_tree = UNSET
        else:
            approximation_tree = self.approximation_tree

        abstain_below: float | None | Unset
        if isinstance(self.abstain_below, Unset):
            abstain_below = UNSET
        else:
            abstain_below = self.abstain_below

        store_explanations = self.store_explanations

        nearest_rows: dict[str, Any] | None | Unset
        if isinstance(self.nearest_rows, Unset):
            nearest_rows = UNSET
        elif isinstance(self.nearest_rows, SearchedRows):
            nearest_rows = self.nearest_rows.to_dict()
        else:
            nearest_rows = self.nearest_rows

        field_dict: dict[str, Any] = {}

        field_dict.update(
            {
                "id": id,
                "name": name,
                "model": model,
                "prototype_set": prototype_set,
                "created_at": created_at,
                "shown_features": shown_features,
            }
        )
        if object_ is not UNSET:
            field_dict["object"] = object_
        if rule_set is not UNSET:
            field_dict["rule_set"] = rule_set
        if approximation_tree is not UNSET:
            field_dict["approximation_tree"] = approximation_tree
        if abstain_below is not UNSET:
            field_dict["abstain_below"] = abstain_below
        if store_explanations is not UNSET:
            field_dict["store_explanations"] = store_explanations
        if nearest_rows is not UNSET:
            field_dict["nearest_rows"] = nearest_rows

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.searched_rows import SearchedRows  # noqa: PLC0415

        d = dict(src_dict)
        id = d.pop("id")

        def _parse_name(data: object) -> None | str:
            if data is None:
                return data
            return cast(None | str, data)

        name = _parse_name(d.pop("name"))

        model = d.pop("model")

        prototype_set = d.pop("prototype_set")

        created_at = datetime.datetime.fromisoformat(d.pop("created_at"))

        def _parse_shown_features(data: object) -> list[str] | str:
            try:
                if not isinstance(data, list):
                    raise TypeError()
                componentsschemas_shown_features_type_1 = cast(list[str], data)

                return componentsschemas_shown_features_type_1
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(list[str] | str, data)

        shown_features = _parse_shown_features(d.pop("shown_features"))

        object_ = cast(Literal["explainer"] | Unset, d.pop("object", UNSET))
        if object_ != "explainer" and not isinstance(object_, Unset):
            raise ValueError(f"object must match const 'explainer', got '{object_}'")

        def _parse_rule_set(data: object) -> None | str | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(None | str | Unset, data)

        rule_set = _parse_rule_set(d.pop("rule_set", UNSET))

        def _parse_approximation_tree(data: object) -> None | str | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(None | str | Unset, data)

        approximation_tree = _parse_approximation_tree(d.pop("approximation_tree", UNSET))

        def _parse_abstain_below(data: object) -> float | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(float | None | Unset, data)

        abstain_below = _parse_abstain_below(d.pop("abstain_below", UNSET))

        store_explanations = d.pop("store_explanations", UNSET)

        def _parse_nearest_rows(data: object) -> None | SearchedRows | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            try:
                if not isinstance(data, dict):
                    raise TypeError()
                nearest_rows_type_0 = SearchedRows.from_dict(data)

                return nearest_rows_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(None | SearchedRows | Unset, data)

        nearest_rows = _parse_nearest_rows(d.pop("nearest_rows", UNSET))

        explainer = cls(
            id=id,
            name=name,
            model=model,
            prototype_set=prototype_set,
            created_at=created_at,
            shown_features=shown_features,
            object_=object_,
            rule_set=rule_set,
            approximation_tree=approximation_tree,
            abstain_below=abstain_below,
            store_explanations=store_explanations,
            nearest_rows=nearest_rows,
        )

        return explainer
