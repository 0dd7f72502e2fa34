"""Dictionaries: the words of a domain for a dataset's features and outcomes, read from where people keep them."""

import csv
import json
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

from .errors import Invalid
from .row_kinds import is_frame
from .types import DictionaryRequest

_FLAGS = ("fixed", "only_up", "only_down", "hidden", "protected", "plain_digits")
_TEXTS = ("label", "description", "unit", "group", "reason_code", "reason_text")
_FEATURE_WORDS = ("name", *_TEXTS, "decimals", "values", *_FLAGS)
_OUTCOME_WORDS = ("name", "label", "adverse")
_OTHER_NAMES = {"title": "label", "long_name": "label", "units": "unit", "categories": "values"}
_LISTS_OF_ATTRS = {"labels": "label", "titles": "label", "units": "unit", "descriptions": "description"}
_OF_A_TABLE_SCHEMA = ("type", "format", "constraints", "missingValues", "rdfType", "example", "categoriesOrdered")
_YES, _NO = {"true", "yes", "1", "x"}, {"false", "no", "0", ""}

Json = dict[str, Any]


def read_dictionary(source: Any) -> DictionaryRequest:  # see below
    """Return the words that are in a dictionary, a file or a DataFrame.

    Parameters
    ----------
    source
        One of:

        - ``{"features": …, "outcomes": …}``, each a list of entries with a ``name``, or entries by name; ``values`` of
          a feature are ``{code: label}``. Without these two keys, entries of features by name.
        - A Frictionless table schema: ``{"fields": [{"name": "age", "title": "Age", "unit": "years"}]}``, whose
          ``categories`` may have labels; words that it does not know, such as ``group``, may stand in a field, too.
        - The path of a JSON file with either, or of a CSV file with a line for each feature and the columns ``name``,
          ``label``, ``description``, ``unit``, ``decimals``, ``group``, ``values`` (``A11=overdrawn; A12=in credit``),
          ``reason_code``, ``reason_text`` and, with ``yes``, ``fixed``, ``only_up``, ``only_down``, ``hidden``,
          ``protected`` and ``plain_digits``; none but ``name`` is needed.
        - A DataFrame: ``frame.attrs["dictionary"]``; or else ``attrs["labels"]``, ``attrs["units"]`` and
          ``attrs["descriptions"]`` by column, ``attrs["columns"]`` with entries by column, and the ``attrs`` of the
          columns themselves.

    Raises
    ------
    Invalid
        Naming the entry that cannot be read.
    """
    if isinstance(source, DictionaryRequest):
        return source
    if is_frame(source):
        return _of_entries(_attrs_of(source))
    if isinstance(source, str | Path):
        return _of_file(Path(source))
    if isinstance(source, Mapping):
        return _of_entries(source)
    detail = f"a dictionary is a dict, a DataFrame, or the path of a JSON or CSV file, and no {type(source).__name__}"
    raise Invalid("validation_failed", detail)


def _of_file(path: Path) -> DictionaryRequest:
    try:
        text = path.expanduser().read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        detail = f"the dictionary {str(path)!r} cannot be read: {error}"
        raise Invalid("validation_failed", detail) from error
    if path.suffix.lower() == ".csv":
        return _of_entries({"features": list(map(_line, csv.DictReader(text.splitlines())))})
    try:
        content = json.loads(text)
    except ValueError as error:
        detail = f"the dictionary {str(path)!r} is neither JSON nor called .csv: {error}"
        raise Invalid("validation_failed", detail) from error
    if not isinstance(content, dict):
        detail = f"the dictionary {str(path)!r} holds a {type(content).__name__}; write a JSON object"
        raise Invalid("validation_failed", detail)
    return _of_entries(content)


def _line(cells: Mapping[str, Any]) -> Json:
    """Return a line of a CSV file as an entry."""
    filled = {str(key).strip(): text.strip() for key, text in cells.items() if isinstance(text, str) and text.strip()}
    name = repr(filled.get("name", ""))
    entry: Json = dict(filled)
    for flag in _FLAGS:
        if flag in filled:
            entry[flag] = _truth(filled[flag], f"feature {name}: {flag}")
    if "decimals" in filled:
        if not filled["decimals"].isdigit():
            raise Invalid("validation_failed", f"feature {name}: decimals is {filled['decimals']!r}; write a number")
        entry["decimals"] = int(filled["decimals"])
    if "values" in filled:
        pairs = [pair.partition("=") for pair in filled["values"].split(";") if pair.strip()]
        if unpaired := [code for code, equals, _ in pairs if not equals]:
            detail = f"feature {name}: {unpaired[0].strip()!r} in values has no label; write code=label; code=label"
            raise Invalid("validation_failed", detail)
        entry["values"] = {code.strip(): label.strip() for code, _, label in pairs}
    return entry


def _truth(text: str, what: str) -> bool:
    if text.lower() in _YES | _NO:
        return text.lower() in _YES
    raise Invalid("validation_failed", f"{what} is {text!r}; write yes or no")


def _attrs_of(frame: Any) -> Json:  # a DataFrame
    attrs = dict(getattr(frame, "attrs", {}))
    if isinstance(attrs.get("dictionary"), Mapping):
        return dict(attrs["dictionary"])
    features: dict[str, Json] = {}
    for name in frame.columns:
        entry: Json = {}
        for key, word in _LISTS_OF_ATTRS.items():
            if isinstance(attrs.get(key), Mapping) and name in attrs[key]:
                entry[word] = attrs[key][name]
        own = dict(getattr(frame[name], "attrs", {}))
        for more in (attrs.get("columns", {}).get(name), None if own == attrs else own):
            known = more if isinstance(more, Mapping) else {}
            words = {_OTHER_NAMES.get(key, key): value for key, value in known.items()}
            entry |= {key: value for key, value in words.items() if key in _FEATURE_WORDS}
        if entry:
            features[str(name)] = entry
    return {"features": features}


def _of_entries(content: Mapping[str, Any]) -> DictionaryRequest:
    if isinstance(content.get("fields"), list):  # a table schema
        fields = [_without(field, _OF_A_TABLE_SCHEMA) for field in content["fields"]]
        return DictionaryRequest.from_dict({"features": _entries(fields, "feature", _feature), "outcomes": []})
    if not {"features", "outcomes"}.intersection(content):
        content = {"features": content}
    if unknown := set(content) - {"features", "outcomes"}:
        detail = f"a dictionary has features and outcomes, and no {min(map(str, unknown))!r}"
        raise Invalid("validation_failed", detail)
    features, outcomes = (content.get(key) or [] for key in ("features", "outcomes"))
    listed = {
        "features": _entries(features, "feature", _feature),
        "outcomes": _entries(outcomes, "outcome", _outcome),
    }
    return DictionaryRequest.from_dict(listed)


def _without(field: Any, keys: Iterable[str]) -> Any:  # of JSON
    return {key: value for key, value in field.items() if key not in keys} if isinstance(field, Mapping) else field


def _entries(entries: Any, kind: str, read: Callable[[Json], Json]) -> list[Json]:  # of JSON
    """Return entries as a list, each with its name."""
    if isinstance(entries, Mapping):
        for name, words in entries.items():
            _check_entry(words, f"{kind} {str(name)!r}")
        entries = [{"name": _code(name), **words} for name, words in entries.items()]
    if isinstance(entries, str) or not isinstance(entries, Iterable):
        raise Invalid("validation_failed", f"{kind}s are a list of entries, or entries by name, and no {entries!r:.80}")
    read_entries = []
    for place, entry in enumerate(entries):
        _check_entry(entry, f"the {kind} at place {place}")
        if entry.get("name") in (None, ""):
            raise Invalid("validation_failed", f"the {kind} at place {place} has no name")
        read_entries.append(read(dict(entry)))
    return read_entries


def _check_entry(entry: Any, what: str) -> None:
    if not isinstance(entry, Mapping):
        raise Invalid("validation_failed", f"{what} is {entry!r:.80}; write a dict of words, such as {{'label': …}}")


def _feature(entry: Json) -> Json:
    known = {_OTHER_NAMES.get(key, key): value for key, value in entry.items() if value is not None}
    _refuse_unknown(known, _FEATURE_WORDS, "feature")
    if "values" in known:
        values = known["values"]
        pairs = values.items() if isinstance(values, Mapping) else map(_pair, values)
        known["values"] = [{"value": _code(code), "label": str(label)} for code, label in pairs if label is not None]
        if not known["values"]:  # categories without labels
            del known["values"]
    return {**known, "name": str(known["name"])}


def _outcome(entry: Json) -> Json:
    _refuse_unknown(entry, _OUTCOME_WORDS, "outcome")
    return {**entry, "name": _code(entry["name"])}


def _refuse_unknown(entry: Json, words: Iterable[str], kind: str) -> None:
    if unknown := [key for key in entry if key not in words]:
        detail = f"{kind} {str(entry['name'])!r}: there is no {unknown[0]!r}; there are {', '.join(words)}"
        raise Invalid("validation_failed", detail)


def _pair(value: Any) -> tuple[Any, Any]:  # of JSON
    """Return a value and its label, as a table schema has them."""
    return (value["value"], value.get("label")) if isinstance(value, Mapping) else (value, None)


def _code(code: Any) -> str:  # a category, a number or a truth value
    if isinstance(code, bool):
        return "true" if code else "false"
    return str(code)
