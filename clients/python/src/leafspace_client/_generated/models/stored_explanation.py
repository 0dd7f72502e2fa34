from __future__ import annotations

import datetime
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Literal, TypeVar, cast

from attrs import define as _attrs_define

from ...records import Record
from ..types import UNSET, Unset

if TYPE_CHECKING:
    from ..models.abstained_row import AbstainedRow
    from ..models.explained_row import ExplainedRow
    from ..models.explanation_request import ExplanationRequest
    from ..models.provenance import Provenance
    from ..models.refused_row import RefusedRow


T = TypeVar("T", bound="StoredExplanation")


@_attrs_define(repr=False)
class StoredExplanation(Record):
    """A stored explanation with its request and response.

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
        provenance (Provenance): What the explanations were computed from.
        revision (int): Revision of explanations by which it was computed.
        request (ExplanationRequest): Rows to explain.
        response (AbstainedRow | ExplainedRow | RefusedRow): One prediction explained, or why it could not be, by
            `status`.
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
    provenance: Provenance
    revision: int
    request: ExplanationRequest
    response: AbstainedRow | ExplainedRow | RefusedRow
    object_: Literal["stored_explanation"] | Unset = "stored_explanation"

    def to_dict(self) -> dict[str, Any]:
        from ..models.abstained_row import AbstainedRow  # noqa: PLC0415
        from ..models.explained_row import ExplainedRow  # noqa: PLC0415

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

        provenance = self.provenance.to_dict()

        revision = self.revision

        request = self.request.to_dict()

        response: dict[str, Any]
        if isinstance(self.response, ExplainedRow):
            response = self.response.to_dict()
        elif isinstance(self.response, AbstainedRow):
            response = self.response.to_dict()
        else:
            response = self.response.to_dict()

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
                "provenance": provenance,
                "revision": revision,
                "request": request,
                "response": response,
            }
        )
        if object_ is not UNSET:
            field_dict["object"] = object_

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.abstained_row import AbstainedRow  # noqa: PLC0415
        from ..models.explained_row import ExplainedRow  # noqa: PLC0415
        from ..models.explanation_request import ExplanationRequest  # noqa: PLC0415
        from ..models.provenance import Provenance  # noqa: PLC0415
        from ..models.refused_row import RefusedRow  # noqa: PLC0415

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

        provenance = Provenance.from_dict(d.pop("provenance"))

        revision = d.pop("revision")

        request = ExplanationRequest.from_dict(d.pop("request"))

        def _parse_response(data: object) -> AbstainedRow | ExplainedRow | RefusedRow:
            try:
                if not isinstance(data, dict) or data.get("status") != "ok":
                    raise TypeError()
                componentsschemas_explanation_type_0 = ExplainedRow.from_dict(data)

                return componentsschemas_explanation_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            try:
                if not isinstance(data, dict) or data.get("status") != "abstained":
                    raise TypeError()
                componentsschemas_explanation_type_1 = AbstainedRow.from_dict(data)

                return componentsschemas_explanation_type_1
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            if not isinstance(data, dict):
                raise TypeError()
            componentsschemas_explanation_type_2 = RefusedRow.from_dict(data)

            return componentsschemas_explanation_type_2

        response = _parse_response(d.pop("response"))

        object_ = cast(Literal["stored_explanation"] | Unset, d.pop("object", UNSET))
        if object_ != "stored_explanation" and not isinstance(object_, Unset):
            raise ValueError(f"object must match const 'stored_explanation', got '{object_}'")

        stored_explanation = cls(
            id=id,
            explainer=explainer,
            explainer_name=explainer_name,
            row_id=row_id,
            key=key,
            model_sha256=model_sha256,
            digest=digest,
            created_at=created_at,
            provenance=provenance,
            revision=revision,
            request=request,
            response=response,
            object_=object_,
        )

        return stored_explanation
