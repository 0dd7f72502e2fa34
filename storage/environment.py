"""The environment's settings: read into a class, with a sentence for each that is wrong or looks mistyped."""

import logging
import os
import sys
from collections.abc import Iterable
from difflib import get_close_matches
from typing import Any, TypeVar

from pydantic import ValidationError
from pydantic_settings import BaseSettings

SettingsT = TypeVar("SettingsT", bound=BaseSettings)

PREFIX = "LEAFSPACE_"
_log = logging.getLogger(__name__)
_LIKENESS = 0.88  # from which a name is taken for a mistyped one: another process may read one that is less like ours

_WANTED = {  # by the type of fault, what would do
    "int_parsing": "write a whole number without a unit, such as 1000000",
    "float_parsing": "write a number without a unit, such as 0.5",
    "bool_parsing": "write true or false",
}


class WrongSettings(Exception):
    """A variable has a value that cannot be used; the message names it, the value, and what would do."""


def read_settings(kind: type[SettingsT], **given: Any) -> SettingsT:
    """Return the settings of the environment, but for those that are given.

    Raises
    ------
    WrongSettings
        If a value cannot be used, with a line for each.
    """
    try:
        return kind(**given)
    except ValidationError as error:
        # URLs may hold passwords: their values are not repeated.
        raise WrongSettings("\n".join(_fault(dict(fault)) for fault in error.errors())) from error


def settings_of_process(kind: type[SettingsT], **given: Any) -> SettingsT:
    """Return the same, or end this process: with what is wrong on standard error, and ``os.EX_CONFIG``."""
    try:
        return read_settings(kind, **given)
    except WrongSettings as error:
        sys.stderr.write(f"Error: {error}\n")
        sys.exit(os.EX_CONFIG)


def _fault(fault: dict[str, Any]) -> str:
    name = f"{PREFIX}{str(fault['loc'][0]).upper()}"
    if fault["type"] == "missing":
        return f"{name} is required"
    value = "" if name.endswith("_URL") else f" is {fault['input']!r}:"
    message = _WANTED.get(fault["type"], f"{fault['msg'][:1].lower()}{fault['msg'][1:]}")
    return f"{name}{value} {message}"


def report_mistyped_names(kind: type[BaseSettings]) -> None:
    """Log a warning for each variable of the environment that looks like a mistyped one of this class."""
    for name, meant in mistyped_names(kind, os.environ).items():
        _log.warning("%s is no setting, and has no effect; is %s meant?", name, meant)


def mistyped_names(kind: type[BaseSettings], names: Iterable[str]) -> dict[str, str]:
    """Return those of ``names`` that the class does not read but that are nearly one that it reads, with that one."""
    known = [f"{PREFIX}{name.upper()}" for name in kind.model_fields]
    near = {name: _nearest(name, known) for name in names if name.startswith(PREFIX) and name not in known}
    return {name: nearest for name, nearest in sorted(near.items()) if nearest is not None}


def _nearest(name: str, known: list[str]) -> str | None:
    bare = get_close_matches(name.removeprefix(PREFIX), [other.removeprefix(PREFIX) for other in known], 1, _LIKENESS)
    return f"{PREFIX}{bare[0]}" if bare else None
