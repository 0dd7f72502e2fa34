from __future__ import annotations

import datetime
from collections.abc import Mapping
from typing import Any, Literal, TypeVar, cast

from attrs import define as _attrs_define

from ...records import Record
from ..types import UNSET, Unset

T = TypeVar("T", bound="ExplainerNameChange")


@_attrs_define(repr=False)
class ExplainerNameChange(Record):
    """One change of what a name means.

    Attributes:
        id (str): Id of the change.
        name (str): The name that was changed.
        explainer (None | str): Id of the explainer that it has meant since; null where the name was deleted.
        previous_explainer (None | str): Id of the explainer that it meant before, perhaps deleted by now; null where
            the name was new.
        forced (bool): Whether other features or classes were allowed.
        key (None | str): Id of the API key that made the change; null where none was required.
        created_at (datetime.datetime): Time of creation, in UTC (RFC 3339).
        object_ (Literal['explainer_name_change'] | Unset): Type of this object. Default: 'explainer_name_change'.
    """

    id: str
    name: str
    explainer: None | str
    previous_explainer: None | str
    forced: bool
    key: None | str
    created_at: datetime.datetime
    object_: Literal["explainer_name_change"] | Unset = "explainer_name_change"

    def to_dict(self) -> dict[str, Any]:
        id = self.id

        name = self.name

        explainer: None | str
        explainer = self.explainer

        previous_explainer: None | str
        previous_explainer = self.previous_explainer

        forced = self.forced

        key: None | str
        key = self.key

        created_at = self.created_at.isoformat()

        object_ = self.object_

        field_dict: dict[str, Any] = {}

        field_dict.update(
            {
                "id": id,
                "name": name,
                "explainer": explainer,
                "previous_explainer": previous_explainer,
                "forced": forced,
                "key": key,
                "created_at": created_at,
            }
        )
        if object_ is not UNSET:
            field_dict["object"] = object_

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        id = d.pop("id")

        name = d.pop("name")

        def _parse_explainer(data: object) -> None | str:
            if data is None:
                return data
            return cast(None | str, data)

        explainer = _parse_explainer(d.pop("explainer"))

        def _parse_previous_explainer(data: object) -> None | str:
            if data is None:
                return data
            return cast(None | str, data)

        previous_explainer = _parse_previous_explainer(d.pop("previous_explainer"))

        forced = d.pop("forced")

        def _parse_key(data: object) -> None | str:
            if data is None:
                return data
            return cast(None | str, data)

        key = _parse_key(d.pop("key"))

        created_at = datetime.datetime.fromisoformat(d.pop("created_at"))

        object_ = cast(Literal["explainer_name_change"] | Unset, d.pop("object", UNSET))
        if object_ != "explainer_name_change" and not isinstance(object_, Unset):
            raise ValueError(f"object must match const 'explainer_name_change', got '{object_}'")

        explainer_name_change = cls(
            id=id,
            name=name,
            explainer=explainer,
            previous_explainer=previous_explainer,
            forced=forced,
            key=key,
            created_at=created_at,
            object_=object_,
        )

        return explainer_name_change
