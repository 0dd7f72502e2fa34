from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Literal, TypeVar, cast

from attrs import define as _attrs_define

from ...records import Record
from ..types import UNSET, Unset

if TYPE_CHECKING:
    from ..models.abstained_row import AbstainedRow
    from ..models.explained_row import ExplainedRow
    from ..models.refused_row import RefusedRow


T = TypeVar("T", bound="PageExplanation")


@_attrs_define(repr=False)
class PageExplanation(Record):
    """
    Attributes:
        data (list[AbstainedRow | ExplainedRow | RefusedRow]): Items of this page, in the order of the list.
        object_ (Literal['list'] | Unset): Type of this object. Default: 'list'.
        next_cursor (None | str | Unset): Cursor of the next page, to be sent as `cursor`; null on the last page.
    """

    data: list[AbstainedRow | ExplainedRow | RefusedRow]
    object_: Literal["list"] | Unset = "list"
    next_cursor: None | str | Unset = UNSET

    def to_dict(self) -> dict[str, Any]:
        from ..models.abstained_row import AbstainedRow  # noqa: PLC0415
        from ..models.explained_row import ExplainedRow  # noqa: PLC0415

        data = []
        for data_item_data in self.data:
            data_item: dict[str, Any]
            if isinstance(data_item_data, ExplainedRow):
                data_item = data_item_data.to_dict()
            elif isinstance(data_item_data, AbstainedRow):
                data_item = data_item_data.to_dict()
            else:
                data_item = data_item_data.to_dict()

            data.append(data_item)

        object_ = self.object_

        next_cursor: None | str | Unset
        if isinstance(self.next_cursor, Unset):
            next_cursor = UNSET
        else:
            next_cursor = self.next_cursor

        field_dict: dict[str, Any] = {}

        field_dict.update(
            {
                "data": data,
            }
        )
        if object_ is not UNSET:
            field_dict["object"] = object_
        if next_cursor is not UNSET:
            field_dict["next_cursor"] = next_cursor

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.abstained_row import AbstainedRow  # noqa: PLC0415
        from ..models.explained_row import ExplainedRow  # noqa: PLC0415
        from ..models.refused_row import RefusedRow  # noqa: PLC0415

        d = dict(src_dict)
        data = []
        _data = d.pop("data")
        for data_item_data in _data:

            def _parse_data_item(data: object) -> AbstainedRow | ExplainedRow | RefusedRow:
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

            data_item = _parse_data_item(data_item_data)

            data.append(data_item)

        object_ = cast(Literal["list"] | Unset, d.pop("object", UNSET))
        if object_ != "list" and not isinstance(object_, Unset):
            raise ValueError(f"object must match const 'list', got '{object_}'")

        def _parse_next_cursor(data: object) -> None | str | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(None | str | Unset, data)

        next_cursor = _parse_next_cursor(d.pop("next_cursor", UNSET))

        page_explanation = cls(
            data=data,
            object_=object_,
            next_cursor=next_cursor,
        )

        return page_explanation
