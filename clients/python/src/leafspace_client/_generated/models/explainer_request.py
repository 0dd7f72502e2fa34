from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, cast

from attrs import define as _attrs_define

from ...records import Record
from ..types import UNSET, Unset

T = TypeVar("T", bound="ExplainerRequest")


@_attrs_define(repr=False)
class ExplainerRequest(Record):
    """Which artefacts explain the predictions of a model.

    Attributes:
        model (str): Id of the model.
        prototype_set (str): Id of a prototype set of this model.
        settings (str | Unset): `paper`: the fields that are left out have the values of the method's paper, as
            docs/methods.md lists them, instead of these defaults, fields of fields included; what is given, null included,
            stands, but for `method: auto`, which leaves the method to the word, too. Answers show the fields that result,
            so that the id is that of the same request in full. Absent: the defaults.
        rule_set (None | str | Unset): Id of a rule set of this model, whose rules `include: ["rules"]` lists; null:
            none.
        approximation_tree (None | str | Unset): Id of an approximation tree of this model, in which `include:
            ["approximation_path"]` describes the path of a row; null: none.
        name (None | str | Unset): Name of the explainer, shown in lists; null: none.
        shown_features (list[str] | str | Unset): `all`, or the names of some features.
        abstain_below (float | None | Unset): Percentile of `typicality` below which a row is not explained: its
            `status` is `abstained`, and its nearest prototypes are still listed. Null: every row is explained. Not
            applicable to prototype sets without `typicality`.
        store_explanations (bool | Unset): Whether each explanation is stored, with its row and the id of the caller's
            key, to be read and verified later by keys with the scope `audit`. Refused unless the service's operator allows
            it (LEAFSPACE_STORE_EXPLANATIONS); explanation sets are not concerned. Default: False.
    """

    model: str
    prototype_set: str
    settings: str | Unset = UNSET
    rule_set: None | str | Unset = UNSET
    approximation_tree: None | str | Unset = UNSET
    name: None | str | Unset = UNSET
    shown_features: list[str] | str | Unset = UNSET
    abstain_below: float | None | Unset = UNSET
    store_explanations: bool | Unset = False

    def to_dict(self) -> dict[str, Any]:
        model = self.model

        prototype_set = self.prototype_set

        settings = self.settings

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

        name: None | str | Unset
        if isinstance(self.name, Unset):
            name = UNSET
        else:
            name = self.name

        shown_features: list[str] | str | Unset
        if isinstance(self.shown_features, Unset):
            shown_features = UNSET
        elif isinstance(self.shown_features, list):
            shown_features = self.shown_features

        else:
            shown_features = self.shown_features

        abstain_below: float | None | Unset
        if isinstance(self.abstain_below, Unset):
            abstain_below = UNSET
        else:
            abstain_below = self.abstain_below

        store_explanations = self.store_explanations

        field_dict: dict[str, Any] = {}

        field_dict.update(
            {
                "model": model,
                "prototype_set": prototype_set,
            }
        )
        if settings is not UNSET:
            field_dict["settings"] = settings
        if rule_set is not UNSET:
            field_dict["rule_set"] = rule_set
        if approximation_tree is not UNSET:
            field_dict["approximation_tree"] = approximation_tree
        if name is not UNSET:
            field_dict["name"] = name
        if shown_features is not UNSET:
            field_dict["shown_features"] = shown_features
        if abstain_below is not UNSET:
            field_dict["abstain_below"] = abstain_below
        if store_explanations is not UNSET:
            field_dict["store_explanations"] = store_explanations

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        model = d.pop("model")

        prototype_set = d.pop("prototype_set")

        settings = d.pop("settings", UNSET)

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

        def _parse_name(data: object) -> None | str | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(None | str | Unset, data)

        name = _parse_name(d.pop("name", UNSET))

        def _parse_shown_features(data: object) -> list[str] | str | Unset:
            if isinstance(data, Unset):
                return data
            try:
                if not isinstance(data, list):
                    raise TypeError()
                componentsschemas_requested_features_type_1 = cast(list[str], data)

                return componentsschemas_requested_features_type_1
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(list[str] | str | Unset, data)

        shown_features = _parse_shown_features(d.pop("shown_features", UNSET))

        def _parse_abstain_below(data: object) -> float | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(float | None | Unset, data)

        abstain_below = _parse_abstain_below(d.pop("abstain_below", UNSET))

        store_explanations = d.pop("store_explanations", UNSET)

        explainer_request = cls(
            model=model,
            prototype_set=prototype_set,
            settings=settings,
            rule_set=rule_set,
            approximation_tree=approximation_tree,
            name=name,
            shown_features=shown_features,
            abstain_below=abstain_below,
            store_explanations=store_explanations,
        )

        return explainer_request
