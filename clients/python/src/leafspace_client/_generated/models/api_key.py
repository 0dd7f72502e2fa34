from __future__ import annotations

import datetime
from collections.abc import Mapping
from typing import Any, Literal, TypeVar, cast

from attrs import define as _attrs_define

from ...records import Record
from ..types import UNSET, Unset

T = TypeVar("T", bound="ApiKey")


@_attrs_define(repr=False)
class ApiKey(Record):
    """A key, without its secret.

    Attributes:
        id (str): Id of the key; the key itself is `lsk_<id without its prefix>_<secret>`.
        name (str): Name of the person or program that uses it.
        scopes (list[str]): What the key allows.
        created_at (datetime.datetime): Time of creation, in UTC (RFC 3339).
        object_ (Literal['api_key'] | Unset): Type of this object. Default: 'api_key'.
        last_used_at (datetime.datetime | None | Unset): Time of the last request with it, to the minute, in UTC; null:
            never used.
    """

    id: str
    name: str
    scopes: list[str]
    created_at: datetime.datetime
    object_: Literal["api_key"] | Unset = "api_key"
    last_used_at: datetime.datetime | None | Unset = UNSET

    def to_dict(self) -> dict[str, Any]:
        id = self.id

        name = self.name

        scopes = self.scopes

        created_at = self.created_at.isoformat()

        object_ = self.object_

        last_used_at: None | str | Unset
        if isinstance(self.last_used_at, Unset):
            last_used_at = UNSET
        elif isinstance(self.last_used_at, datetime.datetime):
            last_used_at = self.last_used_at.isoformat()
        else:
            last_used_at = self.last_used_at

        field_dict: dict[str, Any] = {}

        field_dict.update(
            {
                "id": id,
                "name": name,
                "scopes": scopes,
                "created_at": created_at,
            }
        )
        if object_ is not UNSET:
            field_dict["object"] = object_
        if last_used_at is not UNSET:
            field_dict["last_used_at"] = last_used_at

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        id = d.pop("id")

        name = d.pop("name")

        scopes = cast(list[str], d.pop("scopes"))

        created_at = datetime.datetime.fromisoformat(d.pop("created_at"))

        object_ = cast(Literal["api_key"] | Unset, d.pop("object", UNSET))
        if object_ != "api_key" and not isinstance(object_, Unset):
            raise ValueError(f"object must match const 'api_key', got '{object_}'")

        def _parse_last_used_at(data: object) -> datetime.datetime | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            try:
                if not isinstance(data, str):
                    raise TypeError()
                last_used_at_type_0 = datetime.datetime.fromisoformat(data)

                return last_used_at_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(datetime.datetime | None | Unset, data)

        last_used_at = _parse_last_used_at(d.pop("last_used_at", UNSET))

        api_key = cls(
            id=id,
            name=name,
            scopes=scopes,
            created_at=created_at,
            object_=object_,
            last_used_at=last_used_at,
        )

        return api_key
