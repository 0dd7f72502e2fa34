from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeVar, cast

from attrs import define as _attrs_define

from ...records import Record
from ..types import UNSET, Unset

if TYPE_CHECKING:
    from ..models.feature_group import FeatureGroup
    from ..models.parity import Parity


T = TypeVar("T", bound="ModelMetadata")


@_attrs_define(repr=False)
class ModelMetadata(Record):
    """Facts about a model that its graph does not hold.

    Attributes:
        name (None | str | Unset): Name of the model, shown in lists; null: none.
        feature_names (list[str] | None | Unset): Names of the features in the order of the ONNX input; default: those
            of the graph, or x0, x1, …
        classes (list[str] | None | Unset): Classes in the order of the scores, each once; default: those of the graph.
        ensemble (None | str | Unset): How the trees are combined: averaged (`random_forest`), summed (`boosting`), or
            otherwise; default: inferred from the graph where that is certain.
        feature_groups (list[FeatureGroup] | Unset): Features that the caller had one-hot encoded outside the graph.
        parity (None | Parity | Unset): Predictions of the caller's library to compare with; null: nothing is compared.
        oracle_only (bool | Unset): Whether the model is registered for its predictions alone. Then it may be any
            classifier or regressor (a network, a linear model, support vectors, a stack), approximation trees can be made
            of it by `sta`, `born_again` and `cart`, and what is made from leaves cannot. `ensemble` and `feature_groups`
            must be left out. Default: False.
        finite_only (bool | Unset): Whether the model's own library refuses infinite numbers, as the forests of scikit-
            learn do. Then rows with one are refused; otherwise infinities go through the graph as other numbers do.
            Default: False.
    """

    name: None | str | Unset = UNSET
    feature_names: list[str] | None | Unset = UNSET
    classes: list[str] | None | Unset = UNSET
    ensemble: None | str | Unset = UNSET
    feature_groups: list[FeatureGroup] | Unset = UNSET
    parity: None | Parity | Unset = UNSET
    oracle_only: bool | Unset = False
    finite_only: bool | Unset = False

    def to_dict(self) -> dict[str, Any]:
        from ..models.parity import Parity  # noqa: PLC0415

        name: None | str | Unset
        if isinstance(self.name, Unset):
            name = UNSET
        else:
            name = self.name

        feature_names: list[str] | None | Unset
        if isinstance(self.feature_names, Unset):
            feature_names = UNSET
        elif isinstance(self.feature_names, list):
            feature_names = self.feature_names

        else:
            feature_names = self.feature_names

        classes: list[str] | None | Unset
        if isinstance(self.classes, Unset):
            classes = UNSET
        elif isinstance(self.classes, list):
            classes = self.classes

        else:
            classes = self.classes

        ensemble: None | str | Unset
        if isinstance(self.ensemble, Unset):
            ensemble = UNSET
        else:
            ensemble = self.ensemble

        feature_groups: list[dict[str, Any]] | Unset = UNSET
        if not isinstance(self.feature_groups, Unset):
            feature_groups = []
            for feature_groups_item_data in self.feature_groups:
                feature_groups_item = feature_groups_item_data.to_dict()
                feature_groups.append(feature_groups_item)

        parity: dict[str, Any] | None | Unset
        if isinstance(self.parity, Unset):
            parity = UNSET
        elif isinstance(self.parity, Parity):
            parity = self.parity.to_dict()
        else:
            parity = self.parity

        oracle_only = self.oracle_only

        finite_only = self.finite_only

        field_dict: dict[str, Any] = {}

        field_dict.update({})
        if name is not UNSET:
            field_dict["name"] = name
        if feature_names is not UNSET:
            field_dict["feature_names"] = feature_names
        if classes is not UNSET:
            field_dict["classes"] = classes
        if ensemble is not UNSET:
            field_dict["ensemble"] = ensemble
        if feature_groups is not UNSET:
            field_dict["feature_groups"] = feature_groups
        if parity is not UNSET:
            field_dict["parity"] = parity
        if oracle_only is not UNSET:
            field_dict["oracle_only"] = oracle_only
        if finite_only is not UNSET:
            field_dict["finite_only"] = finite_only

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.feature_group import FeatureGroup  # noqa: PLC0415
        from ..models.parity import Parity  # noqa: PLC0415

        d = dict(src_dict)

        def _parse_name(data: object) -> None | str | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(None | str | Unset, data)

        name = _parse_name(d.pop("name", UNSET))

        def _parse_feature_names(data: object) -> list[str] | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            try:
                if not isinstance(data, list):
                    raise TypeError()
                feature_names_type_0 = cast(list[str], data)

                return feature_names_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(list[str] | None | Unset, data)

        feature_names = _parse_feature_names(d.pop("feature_names", UNSET))

        def _parse_classes(data: object) -> list[str] | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            try:
                if not isinstance(data, list):
                    raise TypeError()
                classes_type_0 = cast(list[str], data)

                return classes_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(list[str] | None | Unset, data)

        classes = _parse_classes(d.pop("classes", UNSET))

        def _parse_ensemble(data: object) -> None | str | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(None | str | Unset, data)

        ensemble = _parse_ensemble(d.pop("ensemble", UNSET))

        _feature_groups = d.pop("feature_groups", UNSET)
        feature_groups: list[FeatureGroup] | Unset = UNSET
        if _feature_groups is not UNSET:
            feature_groups = []
            for feature_groups_item_data in _feature_groups:
                feature_groups_item = FeatureGroup.from_dict(feature_groups_item_data)

                feature_groups.append(feature_groups_item)

        def _parse_parity(data: object) -> None | Parity | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            try:
                if not isinstance(data, dict):
                    raise TypeError()
                parity_type_0 = Parity.from_dict(data)

                return parity_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(None | Parity | Unset, data)

        parity = _parse_parity(d.pop("parity", UNSET))

        oracle_only = d.pop("oracle_only", UNSET)

        finite_only = d.pop("finite_only", UNSET)

        model_metadata = cls(
            name=name,
            feature_names=feature_names,
            classes=classes,
            ensemble=ensemble,
            feature_groups=feature_groups,
            parity=parity,
            oracle_only=oracle_only,
            finite_only=finite_only,
        )

        return model_metadata
