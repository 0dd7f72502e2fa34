from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Literal, TypeVar, cast

from attrs import define as _attrs_define

from ...records import Record
from ..types import UNSET, Unset

if TYPE_CHECKING:
    from ..models.caller_limits import CallerLimits


T = TypeVar("T", bound="Me")


@_attrs_define(repr=False)
class Me(Record):
    """Who calls: the key that was sent, and what it allows.

    Attributes:
        keys_required (bool): Whether the service requires keys.
        key_id (None | str): Id of the key that was sent; null where the service requires none.
        key_name (None | str): Name of that key; null where the service requires none.
        scopes (list[str]): What the caller may do: all scopes where the service requires no keys.
        version (str): Version of the service that answers.
        limits (CallerLimits): What one caller may send.
        object_ (Literal['me'] | Unset): Type of this object. Default: 'me'.
    """

    keys_required: bool
    key_id: None | str
    key_name: None | str
    scopes: list[str]
    version: str
    limits: CallerLimits
    object_: Literal["me"] | Unset = "me"

    def to_dict(self) -> dict[str, Any]:
        keys_required = self.keys_required

        key_id: None | str
        key_id = self.key_id

        key_name: None | str
        key_name = self.key_name

        scopes = self.scopes

        version = self.version

        limits = self.limits.to_dict()

        object_ = self.object_

        field_dict: dict[str, Any] = {}

        field_dict.update(
            {
                "keys_required": keys_required,
                "key_id": key_id,
                "key_name": key_name,
                "scopes": scopes,
                "version": version,
                "limits": limits,
            }
        )
        if object_ is not UNSET:
            field_dict["object"] = object_

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.caller_limits import CallerLimits  # noqa: PLC0415

        d = dict(src_dict)
        keys_required = d.pop("keys_required")

        def _parse_key_id(data: object) -> None | str:
            if data is None:
                return data
            return cast(None | str, data)

        key_id = _parse_key_id(d.pop("key_id"))

        def _parse_key_name(data: object) -> None | str:
            if data is None:
                return data
            return cast(None | str, data)

        key_name = _parse_key_name(d.pop("key_name"))

        scopes = cast(list[str], d.pop("scopes"))

        version = d.pop("version")

        limits = CallerLimits.from_dict(d.pop("limits"))

        object_ = cast(Literal["me"] | Unset, d.pop("object", UNSET))
        if object_ != "me" and not isinstance(object_, Unset):
            raise ValueError(f"object must match const 'me', got '{object_}'")

        me = cls(
            keys_required=keys_required,
            key_id=key_id,
            key_name=key_name,
            scopes=scopes,
            version=version,
            limits=limits,
            object_=object_,
        )

        return me
