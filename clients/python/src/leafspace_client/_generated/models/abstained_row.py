from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Literal, TypeVar, cast

from attrs import define as _attrs_define

from ...records import Record
from ..types import UNSET, Unset

if TYPE_CHECKING:
    from ..models.approximation_path import ApproximationPath
    from ..models.class_prediction import ClassPrediction
    from ..models.compared_feature import ComparedFeature
    from ..models.contrast import Contrast
    from ..models.firing_rule import FiringRule
    from ..models.nearest_prototype import NearestPrototype
    from ..models.nearest_row import NearestRow
    from ..models.prototype_prediction import PrototypePrediction
    from ..models.row_warning import RowWarning
    from ..models.typicality import Typicality
    from ..models.value_prediction import ValuePrediction


T = TypeVar("T", bound="AbstainedRow")


@_attrs_define(repr=False)
class AbstainedRow(Record):
    """One prediction, of a row that is too far from every prototype to be explained by them.

    Attributes:
        row_id (str): Id of the row: the caller's or, without one, the default of the request's `row_ids`.
        summary (str): The explanation in a plain English sentence or two.
        prediction (ClassPrediction | ValuePrediction): What the model predicts: a class or a value, by `task`.
        warnings (list[RowWarning]): Reasons to read the explanation with care; empty: there is none.
        nearest_prototypes (list[NearestPrototype]): The nearest prototypes by descending proximity, without those that
            share no leaf with the row.
        status (str): `abstained`: the row is less typical than the explainer demands of rows that it explains.
        object_ (Literal['explanation'] | Unset): Type of this object. Default: 'explanation'.
        id (str | Unset): Id by which the explanation is stored; absent where it is not (see `store_explanations` of the
            explainer).
        target (float | str | Unset): A number or a text, such as a predicted value or label.
        typicality (Typicality | Unset): How near a row is to its nearest prototype, among other rows (see `typicality`
            of the prototype set).
        prototype_prediction (PrototypePrediction | Unset): What the nearest prototype predicts.
        values (list[ComparedFeature] | Unset): Values in the model's order, of the features that the explainer shows;
            absent unless included.
        contrasts (list[Contrast] | Unset): Nearest prototypes of other classes than the predicted one, nearest first;
            absent unless included, and for regression.
        rules (list[FiringRule] | Unset): Rules that apply, in the order of the rule set: the first decides, and without
            any the default rule does; where they have a `weight`, the weighted mean of all that apply does. Absent unless
            included.
        approximation_path (ApproximationPath | Unset): A row's path in the approximation tree.
        nearest_rows (list[NearestRow] | Unset): The nearest of all reference rows by descending proximity; absent
            unless included.
    """

    row_id: str
    summary: str
    prediction: ClassPrediction | ValuePrediction
    warnings: list[RowWarning]
    nearest_prototypes: list[NearestPrototype]
    status: str
    object_: Literal["explanation"] | Unset = "explanation"
    id: str | Unset = UNSET
    target: float | str | Unset = UNSET
    typicality: Typicality | Unset = UNSET
    prototype_prediction: PrototypePrediction | Unset = UNSET
    values: list[ComparedFeature] | Unset = UNSET
    contrasts: list[Contrast] | Unset = UNSET
    rules: list[FiringRule] | Unset = UNSET
    approximation_path: ApproximationPath | Unset = UNSET
    nearest_rows: list[NearestRow] | Unset = UNSET

    def to_dict(self) -> dict[str, Any]:
        from ..models.class_prediction import ClassPrediction  # noqa: PLC0415

        row_id = self.row_id

        summary = self.summary

        prediction: dict[str, Any]
        if isinstance(self.prediction, ClassPrediction):
            prediction = self.prediction.to_dict()
        else:
            prediction = self.prediction.to_dict()

        warnings = []
        for warnings_item_data in self.warnings:
            warnings_item = warnings_item_data.to_dict()
            warnings.append(warnings_item)

        nearest_prototypes = []
        for nearest_prototypes_item_data in self.nearest_prototypes:
            nearest_prototypes_item = nearest_prototypes_item_data.to_dict()
            nearest_prototypes.append(nearest_prototypes_item)

        status = self.status

        object_ = self.object_

        id = self.id

        target: float | str | Unset
        if isinstance(self.target, Unset):
            target = UNSET
        else:
            target = self.target

        typicality: dict[str, Any] | Unset = UNSET
        if not isinstance(self.typicality, Unset):
            typicality = self.typicality.to_dict()

        prototype_prediction: dict[str, Any] | Unset = UNSET
        if not isinstance(self.prototype_prediction, Unset):
            prototype_prediction = self.prototype_prediction.to_dict()

        values: list[dict[str, Any]] | Unset = UNSET
        if not isinstance(self.values, Unset):
            values = []
            for values_item_data in self.values:
                values_item = values_item_data.to_dict()
                values.append(values_item)

        contrasts: list[dict[str, Any]] | Unset = UNSET
        if not isinstance(self.contrasts, Unset):
            contrasts = []
            for contrasts_item_data in self.contrasts:
                contrasts_item = contrasts_item_data.to_dict()
                contrasts.append(contrasts_item)

        rules: list[dict[str, Any]] | Unset = UNSET
        if not isinstance(self.rules, Unset):
            rules = []
            for rules_item_data in self.rules:
                rules_item = rules_item_data.to_dict()
                rules.append(rules_item)

        approximation_path: dict[str, Any] | Unset = UNSET
        if not isinstance(self.approximation_path, Unset):
            approximation_path = self.approximation_path.to_dict()

        nearest_rows: list[dict[str, Any]] | Unset = UNSET
        if not isinstance(self.nearest_rows, Unset):
            nearest_rows = []
            for nearest_rows_item_data in self.nearest_rows:
                nearest_rows_item = nearest_rows_item_data.to_dict()
                nearest_rows.append(nearest_rows_item)

        field_dict: dict[str, Any] = {}

        field_dict.update(
            {
                "row_id": row_id,
                "summary": summary,
                "prediction": prediction,
                "warnings": warnings,
                "nearest_prototypes": nearest_prototypes,
                "status": status,
            }
        )
        if object_ is not UNSET:
            field_dict["object"] = object_
        if id is not UNSET:
            field_dict["id"] = id
        if target is not UNSET:
            field_dict["target"] = target
        if typicality is not UNSET:
            field_dict["typicality"] = typicality
        if prototype_prediction is not UNSET:
            field_dict["prototype_prediction"] = prototype_prediction
        if values is not UNSET:
            field_dict["values"] = values
        if contrasts is not UNSET:
            field_dict["contrasts"] = contrasts
        if rules is not UNSET:
            field_dict["rules"] = rules
        if approximation_path is not UNSET:
            field_dict["approximation_path"] = approximation_path
        if nearest_rows is not UNSET:
            field_dict["nearest_rows"] = nearest_rows

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.approximation_path import ApproximationPath  # noqa: PLC0415
        from ..models.class_prediction import ClassPrediction  # noqa: PLC0415
        from ..models.compared_feature import ComparedFeature  # noqa: PLC0415
        from ..models.contrast import Contrast  # noqa: PLC0415
        from ..models.firing_rule import FiringRule  # noqa: PLC0415
        from ..models.nearest_prototype import NearestPrototype  # noqa: PLC0415
        from ..models.nearest_row import NearestRow  # noqa: PLC0415
        from ..models.prototype_prediction import PrototypePrediction  # noqa: PLC0415
        from ..models.row_warning import RowWarning  # noqa: PLC0415
        from ..models.typicality import Typicality  # noqa: PLC0415
        from ..models.value_prediction import ValuePrediction  # noqa: PLC0415

        d = dict(src_dict)
        row_id = d.pop("row_id")

        summary = d.pop("summary")

        def _parse_prediction(data: object) -> ClassPrediction | ValuePrediction:
            try:
                if not isinstance(data, dict) or data.get("task") != "classification":
                    raise TypeError()
                componentsschemas_prediction_type_0 = ClassPrediction.from_dict(data)

                return componentsschemas_prediction_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            if not isinstance(data, dict):
                raise TypeError()
            componentsschemas_prediction_type_1 = ValuePrediction.from_dict(data)

            return componentsschemas_prediction_type_1

        prediction = _parse_prediction(d.pop("prediction"))

        warnings = []
        _warnings = d.pop("warnings")
        for warnings_item_data in _warnings:
            warnings_item = RowWarning.from_dict(warnings_item_data)

            warnings.append(warnings_item)

        nearest_prototypes = []
        _nearest_prototypes = d.pop("nearest_prototypes")
        for nearest_prototypes_item_data in _nearest_prototypes:
            nearest_prototypes_item = NearestPrototype.from_dict(nearest_prototypes_item_data)

            nearest_prototypes.append(nearest_prototypes_item)

        status = d.pop("status")

        object_ = cast(Literal["explanation"] | Unset, d.pop("object", UNSET))
        if object_ != "explanation" and not isinstance(object_, Unset):
            raise ValueError(f"object must match const 'explanation', got '{object_}'")

        id = d.pop("id", UNSET)

        def _parse_target(data: object) -> float | str | Unset:
            if isinstance(data, Unset):
                return data
            return cast(float | str | Unset, data)

        target = _parse_target(d.pop("target", UNSET))

        _typicality = d.pop("typicality", UNSET)
        typicality: Typicality | Unset
        if isinstance(_typicality, Unset):
            typicality = UNSET
        else:
            typicality = Typicality.from_dict(_typicality)

        _prototype_prediction = d.pop("prototype_prediction", UNSET)
        prototype_prediction: PrototypePrediction | Unset
        if isinstance(_prototype_prediction, Unset):
            prototype_prediction = UNSET
        else:
            prototype_prediction = PrototypePrediction.from_dict(_prototype_prediction)

        _values = d.pop("values", UNSET)
        values: list[ComparedFeature] | Unset = UNSET
        if _values is not UNSET:
            values = []
            for values_item_data in _values:
                values_item = ComparedFeature.from_dict(values_item_data)

                values.append(values_item)

        _contrasts = d.pop("contrasts", UNSET)
        contrasts: list[Contrast] | Unset = UNSET
        if _contrasts is not UNSET:
            contrasts = []
            for contrasts_item_data in _contrasts:
                contrasts_item = Contrast.from_dict(contrasts_item_data)

                contrasts.append(contrasts_item)

        _rules = d.pop("rules", UNSET)
        rules: list[FiringRule] | Unset = UNSET
        if _rules is not UNSET:
            rules = []
            for rules_item_data in _rules:
                rules_item = FiringRule.from_dict(rules_item_data)

                rules.append(rules_item)

        _approximation_path = d.pop("approximation_path", UNSET)
        approximation_path: ApproximationPath | Unset
        if isinstance(_approximation_path, Unset):
            approximation_path = UNSET
        else:
            approximation_path = ApproximationPath.from_dict(_approximation_path)

        _nearest_rows = d.pop("nearest_rows", UNSET)
        nearest_rows: list[NearestRow] | Unset = UNSET
        if _nearest_rows is not UNSET:
            nearest_rows = []
            for nearest_rows_item_data in _nearest_rows:
                nearest_rows_item = NearestRow.from_dict(nearest_rows_item_data)

                nearest_rows.append(nearest_rows_item)

        abstained_row = cls(
            row_id=row_id,
            summary=summary,
            prediction=prediction,
            warnings=warnings,
            nearest_prototypes=nearest_prototypes,
            status=status,
            object_=object_,
            id=id,
            target=target,
            typicality=typicality,
            prototype_prediction=prototype_prediction,
            values=values,
            contrasts=contrasts,
            rules=rules,
            approximation_path=approximation_path,
            nearest_rows=nearest_rows,
        )

        return abstained_row
