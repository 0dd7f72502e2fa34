"""Frames: answers as pandas DataFrames, where pandas is installed."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from .errors import missing_extra

if TYPE_CHECKING:
    from ._generated.models import ApproximationNode, AuditedRow, NeighborsOfRow, Prototype, Rule
    from .explanations import Explanation


def prototypes_frame(prototypes: "Sequence[Prototype]") -> Any:  # noqa: ANN401  # a DataFrame
    """Return one row for each prototype: the rows that it represents, then its features."""
    return _frame([_prototype_row(prototype) for prototype in prototypes])


def explanations_frame(explanations: "Sequence[Explanation]") -> Any:  # noqa: ANN401  # a DataFrame
    """Return one row for each explained row and near prototype."""
    return _frame([row for explanation in explanations for row in _explanation_rows(explanation)])


def neighbors_frame(rows: "Sequence[NeighborsOfRow]") -> Any:  # noqa: ANN401  # a DataFrame
    """Return one row for each row and neighbour."""
    return _frame([line for row in rows for line in _neighbor_rows(row)])


def audited_rows_frame(rows: "Sequence[AuditedRow]") -> Any:  # noqa: ANN401  # a DataFrame
    """Return one row for each audited row."""
    return _frame([row.to_dict() for row in rows])


def rules_frame(rules: "Sequence[Rule]") -> Any:  # noqa: ANN401  # a DataFrame
    """Return one row for each rule: its text, its prediction, and the rows that it covers."""
    return _frame([_rule_row(rule) for rule in rules])


def nodes_frame(nodes: "Sequence[ApproximationNode]") -> Any:  # noqa: ANN401  # a DataFrame
    """Return one row for each node: its condition, its branches, its prediction, and its number of rows."""
    return _frame([_node_row(node) for node in nodes])


def _node_row(node: "ApproximationNode") -> dict[str, Any]:
    names = ("id", "depth", "text", "left", "right", "prediction", "n_samples", "n_pseudo_samples", "p_value", "at_cap")
    return {name: getattr(node, name) for name in names}


def _rule_row(rule: "Rule") -> dict[str, Any]:
    names = ("rank", "text", "prediction", "coverage", "precision", "n_rows", "support")
    return {name: getattr(rule, name) for name in names}


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
    return row | {cell.name: cell.value for cell in prototype.features}


def _explanation_rows(explanation: "Explanation") -> list[dict[str, Any]]:
    if not explanation.is_ok:
        return [{"row_id": explanation.row_id, "status": explanation.status}]
    prediction = explanation.prediction
    scores = {score.label: score.value for score in getattr(prediction, "scores", ())}
    label = getattr(prediction, "label", None)
    common = {
        "row_id": explanation.row_id,
        "status": explanation.status,
        "predicted": getattr(prediction, "value", label),
        "score": scores.get(label),
    }
    near = [_near_row(explanation, rank) for rank in range(len(explanation.nearest_prototypes))]
    return [common | each for each in near] or [common]


def _near_row(explanation: "Explanation", rank: int) -> dict[str, Any]:
    prototype, compared = explanation.nearest_prototypes[rank], explanation.compared
    row = {
        "rank": rank + 1,
        "prototype_row_id": prototype.row_id,
        "prototype_label": prototype.label or prototype.value,
        "proximity": prototype.proximity,
        "reasons": "; ".join(reason.text for reason in prototype.reasons),
    }
    values = {each.feature: each.value for each in compared if each.feature not in row}
    return row | values | {f"prototype {each.feature}": each.prototype_values[rank] for each in compared}


def _frame(rows: Sequence[Mapping[str, Any]]) -> Any:  # noqa: ANN401  # a DataFrame
    try:
        import pandas as pd  # noqa: PLC0415  # an extra
    except ImportError as error:
        raise missing_extra("pandas", "pandas", "a DataFrame of answers") from error
    return pd.DataFrame(list(rows))
