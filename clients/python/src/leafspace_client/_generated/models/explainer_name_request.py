from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar

from attrs import define as _attrs_define

from ...records import Record
from ..types import UNSET, Unset

T = TypeVar("T", bound="ExplainerNameRequest")


@_attrs_define(repr=False)
class ExplainerNameRequest(Record):
    """Which explainer a name means from now on.

    Attributes:
        explainer (str): Id of the explainer.
        force (bool | Unset): Whether the features and classes of the model may differ from those of the explainer that
            the name meant before. Default: False.
    """

    explainer: str
    force: bool | Unset = False

    def to_dict(self) -> dict[str, Any]:
        explainer = self.explainer

        force = self.force

        field_dict: dict[str, Any] = {}

        field_dict.update(
            {
                "explainer": explainer,
            }
        )
        if force is not UNSET:
            field_dict["force"] = force

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        explainer = d.pop("explainer")

        force = d.pop("force", UNSET)

        explainer_name_request = cls(
            explainer=explainer,
            force=force,
        )

        return explainer_name_request
