from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeVar, cast

from attrs import define as _attrs_define

from ...records import Record
from ..types import UNSET, Unset

if TYPE_CHECKING:
    from ..models.generated_features import GeneratedFeatures
    from ..models.requested_feature import RequestedFeature


T = TypeVar("T", bound="FeatureSetRequest")


@_attrs_define(repr=False)
class FeatureSetRequest(Record):
    """The features of a set: a list of them, or how they are generated.

    Attributes:
        relational_dataset (str): Id of the relational dataset.
        settings (str | Unset): `paper`: the fields that are left out have the values of the method's paper, as
            docs/methods.md lists them, instead of these defaults, fields of fields included; what is given, null included,
            stands, but for `method: auto`, which leaves the method to the word, too. Answers show the fields that result,
            so that the id is that of the same request in full. Absent: the defaults.
        features (list[RequestedFeature] | None | Unset): The features; one that means the same as an earlier one is
            refused. Null where they are generated and in answers: the result has them.
        generate (GeneratedFeatures | None | Unset): Each column of the example, and every aggregate along one or two
            relationships, with and without one selection, at most 2,000, the shortest first; null where `features` are
            listed.
    """

    relational_dataset: str
    settings: str | Unset = UNSET
    features: list[RequestedFeature] | None | Unset = UNSET
    generate: GeneratedFeatures | None | Unset = UNSET

    def to_dict(self) -> dict[str, Any]:
        from ..models.generated_features import GeneratedFeatures  # noqa: PLC0415

        relational_dataset = self.relational_dataset

        settings = self.settings

        features: list[dict[str, Any]] | None | Unset
        if isinstance(self.features, Unset):
            features = UNSET
        elif isinstance(self.features, list):
            features = []
            for features_type_0_item_data in self.features:
                features_type_0_item = features_type_0_item_data.to_dict()
                features.append(features_type_0_item)

        else:
            features = self.features

        generate: dict[str, Any] | None | Unset
        if isinstance(self.generate, Unset):
            generate = UNSET
        elif isinstance(self.generate, GeneratedFeatures):
            generate = self.generate.to_dict()
        else:
            generate = self.generate

        field_dict: dict[str, Any] = {}

        field_dict.update(
            {
                "relational_dataset": relational_dataset,
            }
        )
        if settings is not UNSET:
            field_dict["settings"] = settings
        if features is not UNSET:
            field_dict["features"] = features
        if generate is not UNSET:
            field_dict["generate"] = generate

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.generated_features import GeneratedFeatures  # noqa: PLC0415
        from ..models.requested_feature import RequestedFeature  # noqa: PLC0415

        d = dict(src_dict)
        relational_dataset = d.pop("relational_dataset")

        settings = d.pop("settings", UNSET)

        def _parse_features(data: object) -> list[RequestedFeature] | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            try:
                if not isinstance(data, list):
                    raise TypeError()
                features_type_0 = []
                _features_type_0 = data
                for features_type_0_item_data in _features_type_0:
                    features_type_0_item = RequestedFeature.from_dict(features_type_0_item_data)

                    features_type_0.append(features_type_0_item)

                return features_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(list[RequestedFeature] | None | Unset, data)

        features = _parse_features(d.pop("features", UNSET))

        def _parse_generate(data: object) -> GeneratedFeatures | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            try:
                if not isinstance(data, dict):
                    raise TypeError()
                generate_type_0 = GeneratedFeatures.from_dict(data)

                return generate_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(GeneratedFeatures | None | Unset, data)

        generate = _parse_generate(d.pop("generate", UNSET))

        feature_set_request = cls(
            relational_dataset=relational_dataset,
            settings=settings,
            features=features,
            generate=generate,
        )

        return feature_set_request
