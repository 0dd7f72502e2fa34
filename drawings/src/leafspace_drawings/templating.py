"""The templates' environment: all values are escaped, missing ones are errors, invisible characters are replaced."""

from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from . import words


def _readable(value: Any) -> Any:  # noqa: ANN401  # whatever a template prints
    if isinstance(value, Markup) or not isinstance(value, str):
        return value
    return words.readable(value)


_environment = Environment(
    loader=PackageLoader("leafspace_drawings"),
    autoescape=True,
    undefined=StrictUndefined,
    finalize=_readable,
    trim_blocks=True,
    lstrip_blocks=True,
    keep_trailing_newline=False,
)
_environment.filters |= {
    "number": words.number,
    "brief": words.brief,
    "count": words.count,
    "share": words.share,
    "cell": words.cell,
    "counted": words.counted,
    "moment": words.moment,
    "sentence": words.sentence,
}


def render(template: str, **values: Any) -> str:  # noqa: ANN401  # what the template shows
    """Return a drawing: the template ``<template>.html.jinja`` filled in."""
    return _environment.get_template(f"{template}.html.jinja").render(**values)
