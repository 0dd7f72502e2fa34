from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal, TypeVar, cast

from attrs import define as _attrs_define

from ...records import Record
from ..types import UNSET, Unset

T = TypeVar("T", bound="DeletedExplanations")


@_attrs_define(repr=False)
class DeletedExplanations(Record):
    """How many stored explanations were deleted.

    Attributes:
        n_deleted (int): Number of stored explanations that were deleted; 0 where there were none.
        object_ (Literal['deletion'] | Unset): Type of this object. Default: 'deletion'.
    """

    n_deleted: int
    object_: Literal["deletion"] | Unset = "deletion"

    def to_dict(self) -> dict[str, Any]:
        n_deleted = self.n_deleted

        object_ = self.object_

        field_dict: dict[str, Any] = {}

        field_dict.update(
            {
                "n_deleted": n_deleted,
            }
        )
        if object_ is not UNSET:
            field_dict["object"] = object_

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        n_deleted = d.pop("n_deleted")

        object_ = cast(Literal["deletion"] | Unset, d.pop("object", UNSET))
        if object_ != "deletion" and not isinstance(object_, Unset):
            raise ValueError(f"object must match const 'deletion', got '{object_}'")

        deleted_explanations = cls(
            n_deleted=n_deleted,
            object_=object_,
        )

        return deleted_explanations
