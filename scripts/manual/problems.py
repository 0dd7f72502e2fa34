"""Markdown of the list of problems: every way in which a request can fail."""

from http import HTTPStatus
from itertools import groupby

from schemas.problems import PROBLEM_KINDS


def table_of_problems() -> str:
    """Return all problem codes by status, each with what it means and what the caller can do."""
    kinds = sorted(PROBLEM_KINDS.items(), key=lambda item: item[1].status)
    parts = []
    for status, group in groupby(kinds, key=lambda item: item[1].status):
        entry = f"```{{index}} {status}\n```"  # numbers in texts are not searched, but those in the index
        parts.append(f"(problems-{status})=\n## {status} {HTTPStatus(status).phrase}\n\n{entry}")
        for code, kind in group:
            parts.append(f"(problem-{code})=\n### {code}\n\n*{kind.title}.* {kind.meaning}\n\n{kind.remedy}")
    return "\n\n".join(parts)
