from __future__ import annotations

import datetime
from collections.abc import Mapping
from typing import Any, Literal, TypeVar, cast

from attrs import define as _attrs_define

from ...records import Record
from ..types import UNSET, Unset

T = TypeVar("T", bound="StoredExplanationSummary")


@_attrs_define(repr=False)
class StoredExplanationSummary(Record):
    """A stored explanation in a list: without its request and response.

    Attributes:
        id (str): Id of the stored explanation, which stands in the answer as `id` of the explanation.
        explainer (str): Id of the explainer that answered, perhaps deleted by now.
        explainer_name (None | str): Name that it was called by; null where it was called by id.
        row_id (str): Id of the row: the caller's or, without one, the default of the request's `row_ids`.
        key (None | str): Id of the API key of the caller; null where none was required.
        model_sha256 (str): SHA-256 of the model's uploaded file, in hexadecimal.
        digest (str): SHA-256, in hexadecimal, of the explanation as it was stored: of the bytes of `response`, exactly
            as they stand in the uncompressed answer to `GET /v1/explanations/{id}`.
        created_at (datetime.datetime): Time of creation, in UTC (RFC 3339).
        object_ (Literal['stored_explanation'] | Unset): Type of this object. Default: 'stored_explanation'.
    """

    id: str
    explainer: str
    explainer_name: None | str
    row_id: str
    key: None | str
    model_sha256: str
    digest: str
    created_at: datetime.datetime
    object_: Literal["stored_explanation"] | Unset = "stored_explanation"

    def to_dict(self) -> dict[str, Any]:
        id = self.id

        explainer = self.explainer

        explainer_name: None | str
        explainer_name = self.explainer_name

        row_id = self.row_id

        key: None | str
        key = self.key

        model_sha256 = self.model_sha256

        digest = self.digest

        created_at = self.created_at.isoformat()

        object_ = self.object_

        field_dict: dict[str, Any] = {}

        field_dict.update(
            {
                "id": id,
                "explainer": explainer,
                "explainer_name": explainer_name,
                "row_id": row_id,
                "key": key,
                "model_sha256": model_sha256,
                "digest": digest,
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

        explainer = d.pop("explainer")

        def _parse_explainer_name(data: object) -> None | str:
            if data is None:
                return data
            return cast(None | str, data)

        explainer_name = _parse_explainer_name(d.pop("explainer_name"))

        row_id = d.pop("row_id")

        def _parse_key(data: object) -> None | str:
            if data is None:
                return data
            return cast(None | str, data)

        key = _parse_key(d.pop("key"))

        model_sha256 = d.pop("model_sha256")

        digest = d.pop("digest")

        created_at = datetime.datetime.fromisoformat(d.pop("created_at"))

        object_ = cast(Literal["stored_explanation"] | Unset, d.pop("object", UNSET))
        if object_ != "stored_explanation" and not isinstance(object_, Unset):
            raise ValueError(f"object must match const 'stored_explanation', got '{object_}'")

        stored_explanation_summary = cls(
            id=id,
            explainer=explainer,
            explainer_name=explainer_name,
            row_id=row_id,
            key=key,
            model_sha256=model_sha256,
            digest=digest,
            created_at=created_at,
            object_=object_,
        )

        return stored_explanation_summary
