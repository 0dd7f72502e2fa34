from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Literal, TypeVar, cast

from attrs import define as _attrs_define

from ...records import Record
from ..types import UNSET, Unset

if TYPE_CHECKING:
    from ..models.abstained_row import AbstainedRow
    from ..models.explained_row import ExplainedRow
    from ..models.provenance import Provenance
    from ..models.refused_row import RefusedRow


T = TypeVar("T", bound="ExplanationList")


@_attrs_define(repr=False)
class ExplanationList(Record):
    """Explanations in the order of the instances.

    Attributes:
        explainer (str): Id of the explainer that was used.
        data (list[AbstainedRow | ExplainedRow | RefusedRow]): Explanations, one for each instance, in their order.
        provenance (Provenance): What the explanations were computed from.
        object_ (Literal['list'] | Unset): Type of this object. Default: 'list'.
        explainer_name (str | Unset): Name that it was called by; absent where it was called by id.
        ignored_columns (list[str] | Unset): Names that instances have and the model does not, the first 100 of them,
            which nothing reads; absent where there are none.
    """

    explainer: str
    data: list[AbstainedRow | ExplainedRow | RefusedRow]
    provenance: Provenance
    object_: Literal["list"] | Unset = "list"
    explainer_name: str | Unset = UNSET
    ignored_columns: list[str] | Unset = UNSET

    def to_dict(self) -> dict[str, Any]:
        from ..models.abstained_row import AbstainedRow  # noqa: PLC0415
        from ..models.explained_row import ExplainedRow  # noqa: PLC0415

        explainer = self.explainer

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

        provenance = self.provenance.to_dict()

        object_ = self.object_

        explainer_name = self.explainer_name

        ignored_columns: list[str] | Unset = UNSET
        if not isinstance(self.ignored_columns, Unset):
            ignored_columns = self.ignored_columns

        field_dict: dict[str, Any] = {}

        field_dict.update(
            {
                "explainer": explainer,
                "data": data,
                "provenance": provenance,
            }
        )
        if object_ is not UNSET:
            field_dict["object"] = object_
        if explainer_name is not UNSET:
            field_dict["explainer_name"] = explainer_name
        if ignored_columns is not UNSET:
            field_dict["ignored_columns"] = ignored_columns

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.abstained_row import AbstainedRow  # noqa: PLC0415
        from ..models.explained_row import ExplainedRow  # noqa: PLC0415
        from ..models.provenance import Provenance  # noqa: PLC0415
        from ..models.refused_row import RefusedRow  # noqa: PLC0415

        d = dict(src_dict)
        explainer = d.pop("explainer")

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

        provenance = Provenance.from_dict(d.pop("provenance"))

        object_ = cast(Literal["list"] | Unset, d.pop("object", UNSET))
        if object_ != "list" and not isinstance(object_, Unset):
            raise ValueError(f"object must match const 'list', got '{object_}'")

        explainer_name = d.pop("explainer_name", UNSET)

        ignored_columns = cast(list[str], d.pop("ignored_columns", UNSET))

        explanation_list = cls(
            explainer=explainer,
            data=data,
            provenance=provenance,
            object_=object_,
            explainer_name=explainer_name,
            ignored_columns=ignored_columns,
        )

        return explanation_list
