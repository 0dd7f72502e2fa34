"""Frames: answers as pandas DataFrames, where pandas is installed."""

from collections import ChainMap
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, BinaryIO, Literal, TypeAlias

from .errors import missing_extra
from .records import Record
from .rows import received, spelled
from .types import Unset

if TYPE_CHECKING:
    from .explanation_fields import ExplanationFields
    from .types import (
        ApproximationNode,
        AuditedRow,
        Dataset,
        EvaluatedColumn,
        FeatureEffect,
        FeatureRow,
        MapRow,
        NearestPrototype,
        NeighborsOfRow,
        OutcomeEvaluation,
        Prototype,
        Reason,
        Rule,
    )

FrameOf: TypeAlias = Literal["explanations", "reasons", "effects"]
_Line: TypeAlias = dict[str, Any]


def prototypes_frame(prototypes: "Sequence[Prototype]") -> Any:  # a DataFrame
    """Return one row for each prototype: the rows that it represents, then its features."""
    return _frame([_prototype_row(prototype) for prototype in prototypes])


def explanations_frame(explanations: "Sequence[ExplanationFields]", rows: FrameOf) -> Any:  # a DataFrame
    """Return one row for each explanation, for each reason of each near prototype, or for each effect."""
    if rows == "reasons":
        return _frame([line for each in explanations if each.is_ok for line in _reason_lines(each)])
    if rows == "effects":
        return _frame([line for each in explanations if each.is_ok for line in _effect_lines(each)])
    lines = list(map(_explanation_line, explanations))
    # Columns of a part stand together, whichever row has the most of them.
    columns = dict.fromkeys(name for parts in zip(*lines, strict=True) for part in parts for name in part)
    return _frame([dict(ChainMap(*parts)) for parts in lines], list(columns))


def neighbors_frame(rows: "Sequence[NeighborsOfRow]") -> Any:  # a DataFrame
    """Return one row for each row and neighbour."""
    return _frame([line for row in rows for line in _neighbor_rows(row)])


def audited_rows_frame(rows: "Sequence[AuditedRow]") -> Any:  # a DataFrame
    """Return one row for each audited row."""
    return _frame([row.to_dict() for row in rows])


def records_frame(records: "Sequence[Record]") -> Any:  # a DataFrame
    """Return one row for each record, with a column for each field."""
    return _frame([record.to_dict() for record in records])


def points_frame(outcomes: "Sequence[OutcomeEvaluation]") -> Any:  # a DataFrame
    """Return one row for each point of the curves of each outcome."""
    return _frame([{"outcome": each.outcome, **point.to_dict()} for each in outcomes for point in each.points])


def groups_frame(columns: "Sequence[EvaluatedColumn]") -> Any:  # a DataFrame
    """Return one row for each group of each column: its number of rows, and its figures."""
    return _frame([_group_row(column.column, group.to_dict()) for column in columns for group in column.groups])


def map_rows_frame(rows: "Sequence[MapRow]") -> Any:  # a DataFrame
    """Return one row for each row on the map."""
    return _frame([row.to_dict() for row in rows])


def rules_frame(rules: "Sequence[Rule]") -> Any:  # a DataFrame
    """Return one row for each rule: its text, its prediction, and the rows that it covers."""
    return _frame([_rule_row(rule) for rule in rules])


def nodes_frame(nodes: "Sequence[ApproximationNode]") -> Any:  # a DataFrame
    """Return one row for each node: its condition, its branches, its prediction, and its number of rows."""
    return _frame([_node_row(node) for node in nodes])


def feature_rows_frame(features: Sequence[str], rows: "Sequence[FeatureRow]") -> Any:  # a DataFrame
    """Return one row for each example, by its id, with a column for each feature."""
    frame = _frame([dict(zip(features, row.values or (), strict=True)) for row in rows], list(features))
    return frame.set_axis([row.row_id for row in rows]).rename_axis("row_id")


def features_frame(file: BinaryIO, dataset: "Dataset") -> Any:  # a DataFrame
    """Return the features of a dataset, which comes as Parquet, by its row ids where it has them."""
    try:
        import pandas as pd  # an extra
    except ImportError as error:
        raise missing_extra("pandas", "pandas", "a DataFrame of features") from error
    frame = pd.read_parquet(file, engine="pyarrow")
    features = [column for column in dataset.columns if column.role == "feature"]
    categories = {column.name: "category" for column in features if column.type_ == "category"}
    converted = frame[[column.name for column in features]].astype(categories)
    row_ids = [column.name for column in dataset.columns if column.role == "row_id"]
    return converted.set_axis(frame[row_ids[0]]) if row_ids else converted


def _node_row(node: "ApproximationNode") -> dict[str, Any]:
    names = ("id", "depth", "text", "left", "right", "prediction", "n_samples", "n_pseudo_samples", "p_value", "at_cap")
    return {name: getattr(node, name) for name in names} | {
        "settled": None if isinstance(node.settled, Unset) else node.settled
    }


def _rule_row(rule: "Rule") -> dict[str, Any]:
    names = ("rank", "text", "prediction", "coverage", "precision", "n_rows", "support")
    return {name: getattr(rule, name) for name in names} | {
        "decided_precision": None if isinstance(rule.decided_precision, Unset) else rule.decided_precision
    }


def _group_row(column: str, group: Mapping[str, Any]) -> dict[str, Any]:
    measured = {name: value for name, value in group.items() if isinstance(value, Mapping)}
    figures = {name: value.get("share", value.get("value")) for name, value in measured.items()}
    named = {"column": column, "group": group["text"], "n_rows": group["n_rows"]}
    return {**named, **figures, "differs": ", ".join(group["differs"])}


def _neighbor_rows(row: "NeighborsOfRow") -> list[dict[str, Any]]:
    return [
        {
            "row": row.row,
            "row_id": row.row_id,
            "rank": rank,
            "neighbor_row": neighbor.row,
            "neighbor_row_id": neighbor.row_id,
            "proximity": neighbor.proximity,
        }
        for rank, neighbor in enumerate(row.neighbors, 1)
    ]


def _prototype_row(prototype: "Prototype") -> dict[str, Any]:
    row = {
        "rank": prototype.rank,
        "row_id": prototype.row_id,
        "label": prototype.label,
        "value": prototype.value,
        "gain": prototype.gain,
        "n_covered": prototype.coverage.n_rows,
        "share_covered": prototype.coverage.share,
    }
    return row | {cell.name: received(cell.value) for cell in prototype.features}


def _explanation_line(explanation: "ExplanationFields") -> list[_Line]:
    """Return the columns of one explanation, in parts: what was predicted, what is near, why, and the rest."""
    begin: _Line = {"row_id": explanation.row_id, "status": explanation.status}
    if explanation.problem is not None:
        problem = explanation.problem
        return [begin, {}, {}, {}, {"problem_code": problem.code, "problem_detail": problem.detail}]
    near = explanation.nearest_prototypes[:1]
    return [
        begin | _of_prediction(explanation) | _of_typicality(explanation),
        _of_prototype(near[0]) if near else {},
        {f"reason_{rank}": reason.text for rank, reason in enumerate(explanation.proximity_reasons, 1)},
        {"summary": explanation.summary, "warnings": " ".join(warning.detail for warning in explanation.warnings)},
        _of_values(explanation),
    ]


def _of_prediction(explanation: "ExplanationFields") -> _Line:
    outcome = {} if explanation.decision is None else {"outcome": explanation.decision.outcome}
    known = outcome | ({} if explanation.target is None else {"target": explanation.target})
    if explanation.label is None:
        return {"value": explanation.value} | known
    scores = {f"score_{spelled(label)}": score for label, score in explanation.scores.items()}
    return {"label": explanation.label} | scores | known


def _of_typicality(explanation: "ExplanationFields") -> _Line:
    typicality = explanation.typicality
    if typicality is None:
        return {}
    return {"typicality_level": typicality.level, "typicality_percentile": typicality.percentile}


def _of_prototype(prototype: "NearestPrototype") -> _Line:
    line: _Line = {"prototype_row_id": prototype.row_id}
    line |= _present(prototype_label=prototype.label, prototype_value=prototype.value)
    return line | {"proximity": prototype.proximity}


def _of_values(explanation: "ExplanationFields") -> _Line:
    line: _Line = {}
    for each in explanation.compared:
        line[f"value_{each.feature}"] = received(each.value)
        line |= {f"prototype_value_{each.feature}": received(value) for value in each.prototype_values[:1]}
    return line


def _reason_lines(explanation: "ExplanationFields") -> list[_Line]:
    return [
        {"row_id": explanation.row_id, "prototype_rank": rank, "prototype_row_id": prototype.row_id}
        | _present(prototype_label=prototype.label)
        | {"proximity": prototype.proximity, "reason_rank": reason_rank}
        | _of_reason(reason)
        for rank, prototype in enumerate(explanation.nearest_prototypes, 1)
        for reason_rank, reason in enumerate(prototype.reasons, 1)
    ]


def _effect_lines(explanation: "ExplanationFields") -> list[_Line]:
    effects = explanation.effects
    if effects is None:
        return []
    begin: _Line = {"row_id": explanation.row_id} | _present(of=effects.of)
    begin |= {"scale": effects.scale, "reference": effects.reference.kind}
    begin |= {"reference_row_id": None} | _present(reference_row_id=effects.reference.row_id)
    lines = [begin | {"effect_rank": rank} | _of_effect(each) for rank, each in enumerate(effects.features, 1)]
    others = {"effect_rank": None, "feature": None, "value": None, "reference_value": None}
    return [*lines, *([begin | others | {"effect": effects.rest.effect}] if effects.rest.n_features else [])]


def _of_effect(effect: "FeatureEffect") -> _Line:
    line: _Line = {"feature": effect.feature, "value": None, "reference_value": None}
    line |= _present(value=received(effect.value), reference_value=received(effect.reference_value))
    line |= _present(
        feature_text=effect.feature_text, value_text=effect.value_text, reference_text=effect.reference_text
    )
    return line | {"effect": effect.effect} | _present(points=effect.points)


def _of_reason(reason: "Reason") -> _Line:
    line: _Line = {"feature": reason.feature, "text": reason.text, "value": None, "prototype_value": None}
    line |= _present(value=received(reason.value), prototype_value=received(reason.prototype_value))
    return line | {"share_of_trees": reason.share_of_trees}


def _present(**fields: object) -> _Line:
    return {name: value for name, value in fields.items() if not isinstance(value, Unset)}


def _frame(rows: Sequence[Mapping[str, Any]], columns: list[str] | None = None) -> Any:  # a DataFrame
    try:
        import pandas as pd  # an extra
    except ImportError as error:
        raise missing_extra("pandas", "pandas", "a DataFrame of answers") from error
    return pd.DataFrame(list(rows), columns=columns)
