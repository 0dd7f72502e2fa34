"""The templates' environment: all values are escaped, missing ones are errors, invisible characters are replaced."""

from functools import cache
from importlib import import_module
from typing import Any

from markupsafe import Markup

from . import methods, remedies, words


def _readable(value: Any) -> Any:  # whatever a template prints
    if isinstance(value, Markup) or not isinstance(value, str):
        return value
    return words.readable(value)


def _breakable(value: Any) -> Any:  # whatever a template prints
    """Return a text in which lines may end between the parts of a name, so that they end nowhere else in it."""
    return Markup("<wbr>").join(words.word_parts(_readable(str(value))))


_FILTERS = {
    "breakable": _breakable,
    "number": words.number,
    "brief": words.brief,
    "effect_scale": words.effect_scale,
    "requested_size": words.requested_size,
    "requested_method": methods.requested_method,
    "count": words.count,
    "share": words.share,
    "signed": words.signed,
    "cell": words.cell,
    "counted": words.counted,
    "reference_case": words.reference_case,
    "kind_words": words.kind_words,
    "moment": words.moment,
    "weighting": words.weighting,
    "sentence": words.sentence,
    "agreement": words.agreement,
    "measured_on": words.measured_on,
    "nearness": words.nearness,
    "name_or_id": words.name_or_id,
    "caution_text": remedies.caution_text,
    "note": remedies.note_of_one,
    "points": words.points,
    "remedy": remedies.remedy_of,
    "with_remedies": remedies.warnings_with_remedies,
}


@cache
def _environment() -> Any:  # of jinja2
    # Imported late: few processes that can draw ever do.
    jinja2 = import_module("jinja2")
    environment = jinja2.Environment(
        loader=jinja2.PackageLoader("leafspace_drawings"),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        finalize=_readable,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=False,
    )
    environment.filters |= _FILTERS
    return environment


def render(template: str, **values: Any) -> str:  # what the template shows
    """Return a drawing: the template ``<template>.html.jinja`` filled in."""
    return str(_environment().get_template(f"{template}.html.jinja").render(**values))
