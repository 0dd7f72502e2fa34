from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeVar, cast

from attrs import define as _attrs_define

from ...records import Record
from ..types import UNSET, Unset

if TYPE_CHECKING:
    from ..models.instance_type_0 import InstanceType0
    from ..models.nearest_rows_options import NearestRowsOptions


T = TypeVar("T", bound="ExplanationRequest")


@_attrs_define(repr=False)
class ExplanationRequest(Record):
    """Rows to explain.

    Attributes:
        n_prototypes (int | Unset): Maximum number of nearest prototypes of each row. Default: 3.
        n_reasons (int | str | Unset):
        include (list[str] | Unset): Optional parts of explanations. `values`: the values of the row and of its nearest
            prototypes; `intervals`: the ends of each reason as numbers; `contrast`: the nearest prototypes of other
            classes, and what the trees test that tell the two apart; `rules`: the rules that apply, if the explainer has a
            rule set; `approximation_path`: the path in the approximation tree, if the explainer has one; `nearest_rows`:
            the nearest of all reference rows, if the explainer has them.
        n_contrasts (int | Unset): Maximum number of other classes in `contrasts`, where `contrast` is included: the
            nearest ones, each by its nearest prototype. Default: 1.
        nearest_rows (NearestRowsOptions | None | Unset): Which rows `nearest_rows` lists, where it is included; null:
            the nearest five.
        detail (str | Unset): `full` gives everything that the explainer has: all reasons, all optional parts, and more
            about each prototype; `n_reasons` and `include` change nothing then. Default: 'short'.
        instances (list[InstanceType0 | list[Any]] | Unset): Raw rows, at most 1,000. Each row has values by feature
            name, or in the order of the features. Where the prototypes' dataset has a feature set, a row may also be the
            rows of one example by table, such as `{customer: [row], account: [rows]}`, each with its values by column. None
            where `dataset` and `row_ids` name the rows.
        dataset (None | str | Unset): Id of a registered dataset, of which `row_ids` names the rows to explain.
        row_ids (list[str] | None | Unset): Ids of the rows in their order, which must be unique; default: their 0-based
            indices as text. Examples that are all sent by table, each with another primary key, have their keys by default.
            With `dataset`: the ids of its rows that are to be explained, at most 1,000: their texts in its row_id column,
            or their 0-based indices without one.
    """

    n_prototypes: int | Unset = 3
    n_reasons: int | str | Unset = UNSET
    include: list[str] | Unset = UNSET
    n_contrasts: int | Unset = 1
    nearest_rows: NearestRowsOptions | None | Unset = UNSET
    detail: str | Unset = "short"
    instances: list[InstanceType0 | list[Any]] | Unset = UNSET
    dataset: None | str | Unset = UNSET
    row_ids: list[str] | None | Unset = UNSET

    def to_dict(self) -> dict[str, Any]:
        from ..models.instance_type_0 import InstanceType0  # noqa: PLC0415
        from ..models.nearest_rows_options import NearestRowsOptions  # noqa: PLC0415

        n_prototypes = self.n_prototypes

        n_reasons: int | str | Unset
        if isinstance(self.n_reasons, Unset):
            n_reasons = UNSET
        else:
            n_reasons = self.n_reasons

        include: list[str] | Unset = UNSET
        if not isinstance(self.include, Unset):
            include = self.include

        n_contrasts = self.n_contrasts

        nearest_rows: dict[str, Any] | None | Unset
        if isinstance(self.nearest_rows, Unset):
            nearest_rows = UNSET
        elif isinstance(self.nearest_rows, NearestRowsOptions):
            nearest_rows = self.nearest_rows.to_dict()
        else:
            nearest_rows = self.nearest_rows

        detail = self.detail

        instances: list[dict[str, Any] | list[Any]] | Unset = UNSET
        if not isinstance(self.instances, Unset):
            instances = []
            for instances_item_data in self.instances:
                instances_item: dict[str, Any] | list[Any]
                if isinstance(instances_item_data, InstanceType0):
                    instances_item = instances_item_data.to_dict()
                else:
                    instances_item = instances_item_data

                instances.append(instances_item)

        dataset: None | str | Unset
        if isinstance(self.dataset, Unset):
            dataset = UNSET
        else:
            dataset = self.dataset

        row_ids: list[str] | None | Unset
        if isinstance(self.row_ids, Unset):
            row_ids = UNSET
        elif isinstance(self.row_ids, list):
            row_ids = self.row_ids

        else:
            row_ids = self.row_ids

        field_dict: dict[str, Any] = {}

        field_dict.update({})
        if n_prototypes is not UNSET:
            field_dict["n_prototypes"] = n_prototypes
        if n_reasons is not UNSET:
            field_dict["n_reasons"] = n_reasons
        if include is not UNSET:
            field_dict["include"] = include
        if n_contrasts is not UNSET:
            field_dict["n_contrasts"] = n_contrasts
        if nearest_rows is not UNSET:
            field_dict["nearest_rows"] = nearest_rows
        if detail is not UNSET:
            field_dict["detail"] = detail
        if instances is not UNSET:
            field_dict["instances"] = instances
        if dataset is not UNSET:
            field_dict["dataset"] = dataset
        if row_ids is not UNSET:
            field_dict["row_ids"] = row_ids

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.instance_type_0 import InstanceType0  # noqa: PLC0415
        from ..models.nearest_rows_options import NearestRowsOptions  # noqa: PLC0415

        d = dict(src_dict)
        n_prototypes = d.pop("n_prototypes", UNSET)

        def _parse_n_reasons(data: object) -> int | str | Unset:
            if isinstance(data, Unset):
                return data
            return cast(int | str | Unset, data)

        n_reasons = _parse_n_reasons(d.pop("n_reasons", UNSET))

        include = cast(list[str], d.pop("include", UNSET))

        n_contrasts = d.pop("n_contrasts", UNSET)

        def _parse_nearest_rows(data: object) -> NearestRowsOptions | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            try:
                if not isinstance(data, dict):
                    raise TypeError()
                nearest_rows_type_0 = NearestRowsOptions.from_dict(data)

                return nearest_rows_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(NearestRowsOptions | None | Unset, data)

        nearest_rows = _parse_nearest_rows(d.pop("nearest_rows", UNSET))

        detail = d.pop("detail", UNSET)

        _instances = d.pop("instances", UNSET)
        instances: list[InstanceType0 | list[Any]] | Unset = UNSET
        if _instances is not UNSET:
            instances = []
            for instances_item_data in _instances:

                def _parse_instances_item(data: object) -> InstanceType0 | list[Any]:
                    try:
                        if not isinstance(data, dict):
                            raise TypeError()
                        componentsschemas_instance_type_0 = InstanceType0.from_dict(data)

                        return componentsschemas_instance_type_0
                    except (TypeError, ValueError, AttributeError, KeyError):
                        pass
                    if not isinstance(data, list):
                        raise TypeError()
                    componentsschemas_instance_type_1 = cast(list[Any], data)

                    return componentsschemas_instance_type_1

                instances_item = _parse_instances_item(instances_item_data)

                instances.append(instances_item)

        def _parse_dataset(data: object) -> None | str | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(None | str | Unset, data)

        dataset = _parse_dataset(d.pop("dataset", UNSET))

        def _parse_row_ids(data: object) -> list[str] | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            try:
                if not isinstance(data, list):
                    raise TypeError()
                row_ids_type_0 = cast(list[str], data)

                return row_ids_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(list[str] | None | Unset, data)

        row_ids = _parse_row_ids(d.pop("row_ids", UNSET))

        explanation_request = cls(
            n_prototypes=n_prototypes,
            n_reasons=n_reasons,
            include=include,
            n_contrasts=n_contrasts,
            nearest_rows=nearest_rows,
            detail=detail,
            instances=instances,
            dataset=dataset,
            row_ids=row_ids,
        )

        return explanation_request
