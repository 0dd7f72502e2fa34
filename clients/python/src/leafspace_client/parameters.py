"""Descriptions of parameters and errors that several calls share, each written once, and how they get into docstrings.

A docstring describes what its call alone has. Of its other parameters, ``help()`` and the manual show what stands here.
Where a name has two meanings, the docstring names the one that it has by an entry without a description, such as
``form : columns``.
"""

import inspect
import re
from collections.abc import Sequence
from textwrap import indent
from typing import Any, TypeAlias, TypeVar

FunctionT = TypeVar("FunctionT", bound=Any)  # functions, whose types say nothing of their code

SHARED: dict[str, str] = {
    "by": "The model, or an explainer of it, by which two datasets are compared.",
    "changes": """
        Which changes to search, such as ``{"outcome": "approve", "max_features": 1, "fixed": ["age"], "only_up":
        ["years_employed"], "only_down": ["debt"]}``, of which any may be left out; it includes ``"changes"``.""",
    "dataset": "A registered dataset, or its id.",
    "detail": """
        ``"full"`` returns everything that the explainer has but ``"changes"``, ``"curves"``, ``"evidence"`` and
        ``"training_rows"``, which are always to be included.""",
    "evaluation_dataset": "Other rows to evaluate on; default: the dataset itself.",
    "form": '``"json"``, ``"csv"`` or ``"parquet"``.',
    "form : columns": '``"parquet"`` or ``"csv"``.',
    "held_out": """
        Whether no model that is used with the rows was trained on them; figures that are measured on them then say so.
        """,
    "include": """
        What else to return, such as ``["values", "contrast"]``: any of ``leafspace_client.types.Include``, which
        ``ExplanationRequest.include`` describes. Decisions and effects are always there.""",
    "max_regions": "Maximum number of rules that say where two models differ.",
    "min_leaf_rows": """
        Fewest rows of a leaf: trees are cut back to where splits leave fewer; 1 compares by the trees' own leaves.""",
    "model": "A registered model, or its id.",
    "model : by explainer": "A model, an explainer of it, or the name of an explainer; or an id of either.",
    "n_contrasts": "How many other classes to contrast each row with, the nearest ones.",
    "n_prototypes": "How many of the nearest prototypes to name for each row.",
    "n_reasons": 'How many of the reasons to give for each prototype, or ``"all"``.',
    "name": "A name for people.",
    "name : new": "The new name; ``None`` takes the present one away.",
    "nearest_rows": """
        Which of the reference rows to list, such as ``{"n_rows": 3, "classes": ["yes"], "max_per_group": 1, "group_by":
        "household", "row_ids": [...]}``, of which any may be left out; it includes ``"nearest_rows"``.""",
    "on": "The dataset on which two models are compared, best of rows that neither was trained on.",
    "one": """
        The model that is in force, or the dataset that has the reference rows. A model may be named by an explainer, or
        by the name of one.""",
    "other": "What ``one`` is compared with: another model, or another dataset.",
    "outcome": """
        Outcome or class whose score effects are on, and that changes aim at; default: the score that decides or that of
        the predicted class, and the next better outcome or the next class.""",
    "over": """
        Of SQL: ``"features"`` or ``"tables"``; default: the raw tables where the dataset has a feature set.""",
    "path": "Where to write; a file that is there is replaced.",
    "progress": "Show a progress bar; default: in notebooks and terminals.",
    "proximity_kind": "Which proximity; ``auto`` follows the model's kind of ensemble.",
    "reference": """
        What effects compare each row with: ``"contrast"``, the nearest prototype of another class or of the best other
        outcome; ``"nearest"``; ``"prototypes:approve"`` or ``"rows:approve"``, the mean over the prototypes or
        reference rows of an outcome or class; ``"all"``, the mean over all reference rows. Default: ``"contrast"``, or
        ``"nearest"`` for regression without a decision.""",
    "relational_dataset": "Registered tables, or their id.",
    "relational_dataset : other": """
        Another delivery of the same tables; default: that of which the feature set was made.""",
    "row": "0-based index of the row in the dataset.",
    "row_ids : names": """
        Your names for the rows, each another one; default: the index of a DataFrame, else the rows' 0-based indices.
        """,
    "run_on": """
        Where the job works on the rows: ``local``, in a worker's own process, on the ``cluster`` that the service has,
        or, with ``auto``, there only if one process could not hold them. The result is the same.""",
    "seed": "Makes random choices repeatable.",
    "seed : of the comparison": "Draws the rows of which more than predictions is compared.",
    "settings": """
        ``"paper"``: what is left out is as in the method's paper (docs/methods.md lists it).""",
    "settings : none": '``"paper"`` changes nothing here: rows are compared as the prototype set says.',
    "timeout": "Seconds to wait; default: until the job has ended.",
}
"""By name; behind a colon, which of its meanings."""

_ERRORS = """

Raises
------
LeafspaceError
    What the service refuses, or that it cannot be reached; ``help(leafspace_client.errors)`` has all kinds.
"""
_RAISES = re.compile(r"^Raises\n-+\n", re.MULTILINE)
_SECTION = re.compile(r"^Parameters\n-+\n(.*?)(?=^\w[\w ]*\n-+\n|\Z)", re.DOTALL | re.MULTILINE)
_NEXT_SECTION = re.compile(r"^\w[\w ]*\n-+\n|\Z", re.MULTILINE)
_ENTRY = re.compile(r"^(\S.*)\n((?:[ \t].*\n|\n)*)", re.MULTILINE)
_Entry: TypeAlias = tuple[str, str]
"""The line with the names, and what is below it."""


def with_shared_parameters(function: FunctionT) -> FunctionT:
    """Return the function; where its docstring leaves a parameter out, it gets the description that calls share."""
    if function.__doc__:  # none with -OO
        code = function.__code__
        names = code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]
        function.__doc__ = _completed(f"{inspect.cleandoc(function.__doc__)}\n", names).rstrip("\n")
    return function


def with_shared_errors(docstring: str | None) -> str | None:
    """Return the docstring of a call to the service, with the errors that all calls have where it names none."""
    if docstring is None or _RAISES.search(inspect.cleandoc(docstring)):
        return docstring
    return f"{inspect.cleandoc(docstring)}{_ERRORS}".rstrip("\n")


def _completed(docstring: str, names: Sequence[str]) -> str:
    """Return a docstring with an entry for each parameter that it or ``SHARED`` describes, as the signature has them.

    Parameters
    ----------
    docstring
        Without indentation, with a line break at its end.
    names
        All parameters.
    """
    section = _SECTION.search(docstring)
    written = [_with_description(*entry) for entry in _ENTRY.findall(section[1] if section else "")]
    by_name = {name.strip(): entry for entry in written for name in entry[0].partition(" : ")[0].split(",")}
    shared = {name: _with_description(name, "") for name in names if name in SHARED}
    entries = dict.fromkeys([(shared | by_name)[name] for name in names if name in shared or name in by_name] + written)
    if not entries:
        return docstring
    start, end = section.span() if section else [_next_section(docstring)] * 2
    text = "\n".join(f"{header}\n{body}" for header, body in entries)
    parts = [docstring[:start].rstrip("\n"), f"Parameters\n----------\n{text}", docstring[end:]]
    return "\n\n".join(part for part in parts if part)


def _with_description(header: str, body: str) -> _Entry:
    if body.strip():
        return header, body.rstrip("\n")
    return header.partition(" : ")[0], indent(inspect.cleandoc(SHARED[header]), "    ")


def _next_section(docstring: str) -> int:
    found = _NEXT_SECTION.search(docstring)
    assert found is not None  # at the end at the latest
    return found.start()
