from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal, TypeVar, cast

from attrs import define as _attrs_define

from ...records import Record
from ..types import UNSET, Unset

T = TypeVar("T", bound="Verification")


@_attrs_define(repr=False)
class Verification(Record):
    """A stored explanation compared with the same one, computed again from its request.

    Attributes:
        explanation (str): Id of the stored explanation.
        status (str): `same`: the explanation is what is computed today, and its digest is right; `different`: it is
            not; `other_revision`: it is not what is computed today, but another release of the service, or another revision
            of explanations, computed it.
        digest_matches (bool): Whether `digest` is that of the stored explanation.
        differences (list[str]): JSON pointers (RFC 6901) into `response` where the two differ, in the order of the
            stored one; at most 100.
        n_differences (int): Number of all such places.
        service (str): Version of the service that computed the stored explanation.
        present_service (str): Version of the service that verified it.
        revision (int): Revision of explanations by which the stored one was computed.
        present_revision (int): Revision of explanations by which it was verified.
        object_ (Literal['verification'] | Unset): Type of this object. Default: 'verification'.
    """

    explanation: str
    status: str
    digest_matches: bool
    differences: list[str]
    n_differences: int
    service: str
    present_service: str
    revision: int
    present_revision: int
    object_: Literal["verification"] | Unset = "verification"

    def to_dict(self) -> dict[str, Any]:
        explanation = self.explanation

        status = self.status

        digest_matches = self.digest_matches

        differences = self.differences

        n_differences = self.n_differences

        service = self.service

        present_service = self.present_service

        revision = self.revision

        present_revision = self.present_revision

        object_ = self.object_

        field_dict: dict[str, Any] = {}

        field_dict.update(
            {
                "explanation": explanation,
                "status": status,
                "digest_matches": digest_matches,
                "differences": differences,
                "n_differences": n_differences,
                "service": service,
                "present_service": present_service,
                "revision": revision,
                "present_revision": present_revision,
            }
        )
        if object_ is not UNSET:
            field_dict["object"] = object_

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        explanation = d.pop("explanation")

        status = d.pop("status")

        digest_matches = d.pop("digest_matches")

        differences = cast(list[str], d.pop("differences"))

        n_differences = d.pop("n_differences")

        service = d.pop("service")

        present_service = d.pop("present_service")

        revision = d.pop("revision")

        present_revision = d.pop("present_revision")

        object_ = cast(Literal["verification"] | Unset, d.pop("object", UNSET))
        if object_ != "verification" and not isinstance(object_, Unset):
            raise ValueError(f"object must match const 'verification', got '{object_}'")

        verification = cls(
            explanation=explanation,
            status=status,
            digest_matches=digest_matches,
            differences=differences,
            n_differences=n_differences,
            service=service,
            present_service=present_service,
            revision=revision,
            present_revision=present_revision,
            object_=object_,
        )

        return verification
