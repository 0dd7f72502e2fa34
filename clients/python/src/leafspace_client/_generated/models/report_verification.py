from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal, TypeVar, cast

from attrs import define as _attrs_define

from ...records import Record
from ..types import UNSET, Unset

T = TypeVar("T", bound="ReportVerification")


@_attrs_define(repr=False)
class ReportVerification(Record):
    """A report compared with the same one, drawn again from what it shows.

    Attributes:
        report (str): Id of the report.
        status (str): `same`: the file is, byte for byte, what is drawn today; `different`: it is not, in the parts that
            `different_parts` names; `other_revision`: it is not, but another release of the service drew it.
        digest_matches (bool): Whether `sha256` is that of the file that is kept.
        different_parts (list[str]): Parts that differ, in their order; empty if none does.
        sha256 (str): SHA-256 of the file, as it was recorded when it was made.
        drawn_sha256 (str): SHA-256 of what is drawn today.
        service (str): Version of the service that drew the file.
        present_service (str): Version of the service that verified it.
        object_ (Literal['report_verification'] | Unset): Type of this object. Default: 'report_verification'.
    """

    report: str
    status: str
    digest_matches: bool
    different_parts: list[str]
    sha256: str
    drawn_sha256: str
    service: str
    present_service: str
    object_: Literal["report_verification"] | Unset = "report_verification"

    def to_dict(self) -> dict[str, Any]:
        report = self.report

        status = self.status

        digest_matches = self.digest_matches

        different_parts = self.different_parts

        sha256 = self.sha256

        drawn_sha256 = self.drawn_sha256

        service = self.service

        present_service = self.present_service

        object_ = self.object_

        field_dict: dict[str, Any] = {}

        field_dict.update(
            {
                "report": report,
                "status": status,
                "digest_matches": digest_matches,
                "different_parts": different_parts,
                "sha256": sha256,
                "drawn_sha256": drawn_sha256,
                "service": service,
                "present_service": present_service,
            }
        )
        if object_ is not UNSET:
            field_dict["object"] = object_

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        report = d.pop("report")

        status = d.pop("status")

        digest_matches = d.pop("digest_matches")

        different_parts = cast(list[str], d.pop("different_parts"))

        sha256 = d.pop("sha256")

        drawn_sha256 = d.pop("drawn_sha256")

        service = d.pop("service")

        present_service = d.pop("present_service")

        object_ = cast(Literal["report_verification"] | Unset, d.pop("object", UNSET))
        if object_ != "report_verification" and not isinstance(object_, Unset):
            raise ValueError(f"object must match const 'report_verification', got '{object_}'")

        report_verification = cls(
            report=report,
            status=status,
            digest_matches=digest_matches,
            different_parts=different_parts,
            sha256=sha256,
            drawn_sha256=drawn_sha256,
            service=service,
            present_service=present_service,
            object_=object_,
        )

        return report_verification
