"""Rules as JSON: all that it takes to apply them, without how they came about."""

import orjson

from schemas.rule_sets import RuleSetResult

_TOLD = {"task", "classes", "features", "rules", "default_prediction", "default_scores"}


def write_json(content: RuleSetResult) -> str:
    """Return the rules, indented for people."""
    document = content.model_dump(mode="json", include=_TOLD)
    return orjson.dumps(document, option=orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE).decode()
