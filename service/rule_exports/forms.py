"""Which function writes rules in which form."""

from collections.abc import Callable

from schemas.rule_sets import RuleExportFormat, RuleSetResult

from .json_rules import write_json
from .markdown import write_markdown
from .python_function import write_python
from .sql import write_sql

_WRITERS: dict[RuleExportFormat, Callable[[RuleSetResult], str]] = {
    "json": write_json,
    "markdown": write_markdown,
    "sql": write_sql,
    "python": write_python,
}


def write_rules(content: RuleSetResult, form: RuleExportFormat) -> str:
    """Return the rules in a form.

    Raises
    ------
    StorageError
        ``method_not_applicable`` where a name or category cannot be written in it.
    """
    return _WRITERS[form](content)
