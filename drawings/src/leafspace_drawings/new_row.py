"""A row that is not in the data: the form for its values, and what is decided of several that were pasted."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from .classes import Classes
from .columns import ColumnName, ColumnNames
from .templating import render
from .value_fields import choices_of, hint_of
from .waterfall import effects_on

Json = Mapping[str, Any]

_MOST_FIELDS = 200  # more would not be filled in, nor fit into a view
_EFFECTS_SHOWN = 3


@dataclass(frozen=True, slots=True)
class NewRowForm:
    """A form for the values of a row."""

    name: str  # of the explainer or the model
    features: Sequence[str]
    dataset: Json  # the reference dataset
    texts: Mapping[str, str] = field(default_factory=dict)  # that its fields begin with, by feature
    refused: Mapping[str, str] = field(default_factory=dict)  # why a text is no value, by feature
    problem: str = ""  # why the row is not explained, where that is of no field
    to: str = ""  # the address that explains the row, without its values
    paste_to: str = ""  # takes rows that are pasted
    are_stored: bool = False  # whether the explainer stores its explanations, and the rows in them


@dataclass(frozen=True, slots=True)
class DecidedRow:
    """What is decided of a row."""

    number: int  # among those that were pasted, from 1
    explained: Json | None  # an answer of ``POST /v1/explainers/{id}/explanations``; None: it cannot be read
    href: str | None  # the view of the row; of one that cannot be read, its form
    problem: str  # why it cannot be read


@dataclass(frozen=True, slots=True)
class PastedTable:
    """Rows that were pasted."""

    rows: Sequence[DecidedRow]
    unread: Sequence[str]  # columns that the model does not have
    lacking: Sequence[str]  # features that no row has
    dataset: Json
    n_hidden: int = 0  # features whose values are left out, as they are hidden


@dataclass(frozen=True, slots=True)
class _Field:
    column: ColumnName
    text: str
    choices: tuple[str, ...]
    hint: str
    is_number: bool
    problem: str


def draw_new_row_form(form: NewRowForm) -> str:
    """Return the form; features without a column in the dataset, as hidden ones are, have no field."""
    columns, names = {column["name"]: column for column in form.dataset["columns"]}, ColumnNames(form.dataset)
    shown = [name for name in form.features if name in columns]
    fields = [_field(name, columns[name], names[name], form) for name in shown[:_MOST_FIELDS]]
    kept = {name: text for name, text in form.texts.items() if name not in shown[:_MOST_FIELDS]}
    counts = {"n_left": len(shown) - len(fields), "n_hidden": len(form.features) - len(shown)}
    return render("new_row_form", form=form, fields=fields, kept=kept, **counts)


def _field(name: str, column: Json, said: ColumnName, form: NewRowForm) -> _Field:
    text = form.texts.get(name, "")
    return _Field(
        column=said,
        text=text,
        choices=_choices(column, text),
        hint=hint_of(column).removeprefix("in the reference rows "),
        is_number=column["type"] == "number",
        problem=form.refused.get(name, ""),
    )


def _choices(column: Json, text: str) -> tuple[str, ...]:
    """Return the choices of a field, that of none first."""
    known = choices_of(column, text or None)
    return ("", *(each for each in known if each)) if known else ()


def draw_pasted_rows(table: PastedTable) -> str:
    """Return a table of rows, each with its decision and the address of its view."""
    explained = [row.explained for row in table.rows if row.explained is not None]
    scores: Sequence[Json] = next((each["prediction"].get("scores") or [] for each in explained), [])
    classes = Classes([score["label"] for score in scores], table.dataset)
    names, effects = ColumnNames(table.dataset), [each["effects"] for each in explained if each.get("effects")]
    on = effects_on(effects, classes.said)
    return render("pasted_rows", table=table, classes=classes, names=names, n_effects=_EFFECTS_SHOWN, on=on)
