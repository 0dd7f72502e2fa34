"""Rules as a table in Markdown, for people."""

import numpy as np

from schemas.rule_sets import Rule, RuleSetResult

from ..export_text.literals import markdown_cell

_DIGITS = 6  # of a predicted value
_HEAD = "| | if | then | rows | of them decided | precision |\n|--:|:--|:--|--:|--:|--:|\n"


def write_markdown(content: RuleSetResult) -> str:
    """Return a line for each rule, in the order in which they are asked, and one for what no rule covers."""
    lines = [_line(rule) for rule in content.rules]
    otherwise = f"| | otherwise | {_told(content.default_prediction)} | | {content.default_support} | |\n"
    return _HEAD + "".join(lines) + otherwise


def _line(rule: Rule) -> str:
    precision = "" if rule.precision is None else f"{rule.precision:.1%}"
    cells = (rule.rank, markdown_cell(rule.text), _told(rule.prediction), rule.n_rows, rule.support, precision)
    return f"| {' | '.join(map(str, cells))} |\n"


def _told(prediction: float | str) -> str:
    if isinstance(prediction, str):
        return markdown_cell(prediction)
    return np.format_float_positional(prediction, _DIGITS, fractional=False, trim="-")
