from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeVar

from attrs import define as _attrs_define

from ...records import Record
from ..types import UNSET, Unset

if TYPE_CHECKING:
    from ..models.feature_condition import FeatureCondition
    from ..models.feature_measure import FeatureMeasure
    from ..models.feature_variable import FeatureVariable


T = TypeVar("T", bound="RelationalFeature")


@_attrs_define(repr=False)
class RelationalFeature(Record):
    """A feature of a feature set: one column of its datasets.

    Attributes:
        kind (str): `exists`: whether some rows satisfy all conditions together; `count` of the ways in which they do;
            `share` of them among those that satisfy all conditions but the last variable's; `value`: `measure` of the
            example itself; others: of `measure` over all ways to satisfy the conditions, as in `aggregate`.
        name (str): Name of the feature and of its column, unique in its set.
        id (str): Hash of the query in its canonical form: features that mean the same have one id.
        type_ (str): Type of the column: `boolean` for `exists`, which is never missing; `category` for categories.
        variables (list[FeatureVariable] | Unset): Rows of other tables, each after the one it is reached from.
        conditions (list[FeatureCondition] | Unset): Conditions that the rows satisfy together.
        measure (FeatureMeasure | Unset): What a feature reads of each binding: a column, or an aggregate of the rows
            beside it.
    """

    kind: str
    name: str
    id: str
    type_: str
    variables: list[FeatureVariable] | Unset = UNSET
    conditions: list[FeatureCondition] | Unset = UNSET
    measure: FeatureMeasure | Unset = UNSET

    def to_dict(self) -> dict[str, Any]:
        kind = self.kind

        name = self.name

        id = self.id

        type_ = self.type_

        variables: list[dict[str, Any]] | Unset = UNSET
        if not isinstance(self.variables, Unset):
            variables = []
            for variables_item_data in self.variables:
                variables_item = variables_item_data.to_dict()
                variables.append(variables_item)

        conditions: list[dict[str, Any]] | Unset = UNSET
        if not isinstance(self.conditions, Unset):
            conditions = []
            for conditions_item_data in self.conditions:
                conditions_item = conditions_item_data.to_dict()
                conditions.append(conditions_item)

        measure: dict[str, Any] | Unset = UNSET
        if not isinstance(self.measure, Unset):
            measure = self.measure.to_dict()

        field_dict: dict[str, Any] = {}

        field_dict.update(
            {
                "kind": kind,
                "name": name,
                "id": id,
                "type": type_,
            }
        )
        if variables is not UNSET:
            field_dict["variables"] = variables
        if conditions is not UNSET:
            field_dict["conditions"] = conditions
        if measure is not UNSET:
            field_dict["measure"] = measure

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.feature_condition import FeatureCondition  # noqa: PLC0415
        from ..models.feature_measure import FeatureMeasure  # noqa: PLC0415
        from ..models.feature_variable import FeatureVariable  # noqa: PLC0415

        d = dict(src_dict)
        kind = d.pop("kind")

        name = d.pop("name")

        id = d.pop("id")

        type_ = d.pop("type")

        _variables = d.pop("variables", UNSET)
        variables: list[FeatureVariable] | Unset = UNSET
        if _variables is not UNSET:
            variables = []
            for variables_item_data in _variables:
                variables_item = FeatureVariable.from_dict(variables_item_data)

                variables.append(variables_item)

        _conditions = d.pop("conditions", UNSET)
        conditions: list[FeatureCondition] | Unset = UNSET
        if _conditions is not UNSET:
            conditions = []
            for conditions_item_data in _conditions:
                conditions_item = FeatureCondition.from_dict(conditions_item_data)

                conditions.append(conditions_item)

        _measure = d.pop("measure", UNSET)
        measure: FeatureMeasure | Unset
        if isinstance(_measure, Unset):
            measure = UNSET
        else:
            measure = FeatureMeasure.from_dict(_measure)

        relational_feature = cls(
            kind=kind,
            name=name,
            id=id,
            type_=type_,
            variables=variables,
            conditions=conditions,
            measure=measure,
        )

        return relational_feature
