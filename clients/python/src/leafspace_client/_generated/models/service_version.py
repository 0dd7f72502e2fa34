from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar

from attrs import define as _attrs_define

from ...records import Record
from ..types import UNSET, Unset

T = TypeVar("T", bound="ServiceVersion")


@_attrs_define(repr=False)
class ServiceVersion(Record):
    """The version of the service, of its API, and the oldest SDK that understands both.

    Attributes:
        version (str): Version of the service that answers.
        api_version (str | Unset): Version of the API: the first segment of its paths. Default: 'v1'.
        oldest_sdk (str | Unset): Oldest version of the Python SDK that works with this service. Older ones should be
            updated. Default: '0.1.0'.
    """

    version: str
    api_version: str | Unset = "v1"
    oldest_sdk: str | Unset = "0.1.0"

    def to_dict(self) -> dict[str, Any]:
        version = self.version

        api_version = self.api_version

        oldest_sdk = self.oldest_sdk

        field_dict: dict[str, Any] = {}

        field_dict.update(
            {
                "version": version,
            }
        )
        if api_version is not UNSET:
            field_dict["api_version"] = api_version
        if oldest_sdk is not UNSET:
            field_dict["oldest_sdk"] = oldest_sdk

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        version = d.pop("version")

        api_version = d.pop("api_version", UNSET)

        oldest_sdk = d.pop("oldest_sdk", UNSET)

        service_version = cls(
            version=version,
            api_version=api_version,
            oldest_sdk=oldest_sdk,
        )

        return service_version
