"""The quickstart's report: one explanation as a short table and as JSON."""

import json
from typing import TYPE_CHECKING, Any

from rich.console import Console
from rich.table import Table

if TYPE_CHECKING:
    from leafspace_client import Explanation

_CAPTION = "Trees: of those in one of whose leaves both are, the share that tests the feature"


def show_explanation(explanation: "Explanation", console: Console) -> None:
    """Print the service's summary, the reasons beside the values of both rows, and the whole answer."""
    nearest = explanation.nearest_prototypes[0]
    console.print(explanation.summary, style="bold", markup=False)
    for warning in explanation.warnings:
        console.print(f"Warning: {warning.detail}", markup=False)
    console.print()
    table = Table(title=f"What the new tumour and row {nearest.row_id} have in common", caption=_CAPTION)
    for heading in ("Feature", "New", f"Row {nearest.row_id}", "Both are", "Trees"):
        is_text = heading in {"Feature", "Both are"}
        table.add_column(heading, justify="left" if is_text else "right", no_wrap=heading != "Both are")
    for reason in nearest.reasons:
        values = (_short(reason.value), _short(reason.prototype_value))
        within = reason.text.removeprefix(f"{reason.feature} is ")
        table.add_row(reason.feature, *values, within, f"{reason.share_of_trees:.0%}")
    console.print(table)
    console.print("\nThe same as JSON:\n")
    console.print(compact_json(explanation.to_dict()), markup=False)


def compact_json(value: Any, indent: str = "") -> str:  # any JSON value
    """Return JSON in which whatever holds no other objects or lists stands on one line."""
    if not isinstance(value, dict | list) or not _is_nested(value):
        return json.dumps(value, ensure_ascii=False)
    deeper = f"{indent} "
    if isinstance(value, list):
        return _lines("[", [compact_json(item, deeper) for item in value], "]", indent)
    items = [f"{json.dumps(name)}: {compact_json(item, deeper)}" for name, item in value.items()]
    return _lines("{", items, "}", indent)


def _lines(opening: str, items: list[str], closing: str, indent: str) -> str:
    inside = ",\n".join(f"{indent} {item}" for item in items)
    return f"{opening}\n{inside}\n{indent}{closing}"


def _is_nested(value: dict[str, Any] | list[Any]) -> bool:
    items = value.values() if isinstance(value, dict) else value
    # An empty list inside is short enough for a line.
    return any(isinstance(item, dict | list) and item for item in items)


def _short(value: object) -> str:
    return f"{value:.4g}" if isinstance(value, int | float) else str(value)
