from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, cast

from attrs import define as _attrs_define

from ...records import Record

T = TypeVar("T", bound="ApiKeyRequest")


@_attrs_define(repr=False)
class ApiKeyRequest(Record):
    """A key to make.

    Attributes:
        name (str): Name of the person or program that will use it.
        scopes (list[str]): What the key allows. `read`: read and download; `write`: register, request, cancel and
            delete; `explain`: predictions and explanations of rows that are sent along, with `read` of registered rows,
            too; `deploy`: give names to explainers, which decides by which one applications are answered; `audit`: read,
            verify and delete stored explanations; `review`: decide about labels that an audit suspects; `admin`: manage
            keys. No scope includes another.
    """

    name: str
    scopes: list[str]

    def to_dict(self) -> dict[str, Any]:
        name = self.name

        scopes = self.scopes

        field_dict: dict[str, Any] = {}

        field_dict.update(
            {
                "name": name,
                "scopes": scopes,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        name = d.pop("name")

        scopes = cast(list[str], d.pop("scopes"))

        api_key_request = cls(
            name=name,
            scopes=scopes,
        )

        return api_key_request
