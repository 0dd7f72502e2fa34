"""What trees ask of a raw category, through indicators and ordinal codes: which categories say yes to each question."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from ..onnx_models.description import ModelColumn
from .questions import Questions, model_value

Answers = NDArray[np.bool_]


def category_answers(asked: Sequence[tuple[ModelColumn, Questions]]) -> tuple[tuple[str, ...], Answers]:
    """Return the categories that some statement tells from the rest, and each distinct statement's answers.

    A statement is turned so that it is false of categories that no column names.

    Parameters
    ----------
    asked
        The columns of one raw feature that trees read, indicators or ordinal codes, with what is asked of them.

    Returns
    -------
    tuple of n_categories texts
        In the order in which the columns name them.
    (n_statements, n_categories + 2) bool
        True where a row of the category, of any other one, of a missing one is told by the statement. Statements come
        in the order of the first category they are true of, those true of more categories first.
    """
    known = list(dict.fromkeys(each for column, _ in asked for each in _named(column) if isinstance(each, str)))
    values: list[str | None] = [*known, _OTHER, None]
    lines = [line for column, questions in asked for line in _lines(column, questions, values)]
    answers = np.unique(np.array([line for line in lines if line.any()]).reshape(-1, len(values)), axis=0)[::-1]
    told = np.append(answers[:, : len(known)].any(axis=0), [True, True])
    return tuple(each for each, is_told in zip(known, told, strict=False) if is_told), answers[:, told]


_OTHER = "\0"  # no category: texts of rows and of graphs hold no zero bytes that mean anything


def _named(column: ModelColumn) -> tuple[float | str | None, ...]:
    return column.categories if column.kind == "ordinal" else (column.category,)


def _lines(column: ModelColumn, questions: Questions, values: Sequence[str | None]) -> Answers:
    """Return each question's answers, (n_questions, n_values), turned so that other categories say no."""
    answers = np.array([questions.answer(model_value(column, base_of(column, value))) for value in values]).T
    turned: Answers = answers != answers[:, -2:-1]
    return turned


def base_of(column: ModelColumn, value: float | str | None) -> float | None:
    """Return what an indicator or ordinal column makes of a raw category, before scale and offset.

    ``None`` is a missing raw value, which counts as what is put in its place.
    """
    if value is None:
        value = column.imputed
    if column.kind == "indicator":
        return float(value == column.category)
    return dict(zip(column.categories, column.codes, strict=True)).get(value, column.default_code)
