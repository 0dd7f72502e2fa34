from __future__ import annotations

import datetime
from collections.abc import Mapping
from typing import Any, Literal, TypeVar, cast

from attrs import define as _attrs_define

from ...records import Record
from ..types import UNSET, Unset

T = TypeVar("T", bound="ExplainerName")


@_attrs_define(repr=False)
class ExplainerName(Record):
    """A name and the explainer that it means.

    Attributes:
        name (str): The name: lower-case letters, digits and hyphens, at most 63, a letter first.
        explainer (str): Id of the explainer that the name means.
        last_change (str): Id of the change that led to this state; in double quotes it is the entity tag, for `If-
            Match`.
        created_at (datetime.datetime): Time of creation, in UTC (RFC 3339).
        changed_at (datetime.datetime): Time since when the name has meant this explainer, in UTC (RFC 3339).
        object_ (Literal['explainer_name'] | Unset): Type of this object. Default: 'explainer_name'.
    """

    name: str
    explainer: str
    last_change: str
    created_at: datetime.datetime
    changed_at: datetime.datetime
    object_: Literal["explainer_name"] | Unset = "explainer_name"

    def to_dict(self) -> dict[str, Any]:
        name = self.name

        explainer = self.explainer

        last_change = self.last_change

        created_at = self.created_at.isoformat()

        changed_at = self.changed_at.isoformat()

        object_ = self.object_

        field_dict: dict[str, Any] = {}

        field_dict.update(
            {
                "name": name,
                "explainer": explainer,
                "last_change": last_change,
                "created_at": created_at,
                "changed_at": changed_at,
            }
        )
        if object_ is not UNSET:
            field_dict["object"] = object_

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        name = d.pop("name")

        explainer = d.pop("explainer")

        last_change = d.pop("last_change")

        created_at = datetime.datetime.fromisoformat(d.pop("created_at"))

        changed_at = datetime.datetime.fromisoformat(d.pop("changed_at"))

        object_ = cast(Literal["explainer_name"] | Unset, d.pop("object", UNSET))
        if object_ != "explainer_name" and not isinstance(object_, Unset):
            raise ValueError(f"object must match const 'explainer_name', got '{object_}'")

        explainer_name = cls(
            name=name,
            explainer=explainer,
            last_change=last_change,
            created_at=created_at,
            changed_at=changed_at,
            object_=object_,
        )

        return explainer_name
