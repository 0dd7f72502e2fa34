"""What every message has in common: frozen, closed, finite, and never keyed by class or feature."""

import importlib
import json
import pkgutil
from typing import Any

import pytest
from pydantic import ValidationError

import schemas
from schemas.contract import Contract, Page, Renaming
from schemas.datasets import DatasetMetadata
from schemas.explanations import ExplanationRequest
from schemas.label_decisions import LabelDecisionRequest
from schemas.noun import Noun
from schemas.nouns import NOUNS
from schemas.open_inference import ForeignMessage
from schemas.prototype_sets import PrototypeSetRequest


def _messages() -> list[type[Contract]]:
    for module in pkgutil.iter_modules(schemas.__path__):
        importlib.import_module(f"schemas.{module.name}")
    return sorted(_below(Contract), key=lambda kind: kind.__name__)


def _below(kind: type[Contract]) -> set[type[Contract]]:
    found = {below for below in kind.__subclasses__() if below.__module__.startswith("schemas.")}
    return found.union(*(_below(below) for below in found))


_MESSAGES = [kind for kind in _messages() if not kind.__name__.startswith("Page")]


@pytest.mark.parametrize("kind", _MESSAGES)
def test_every_message_is_closed_frozen_and_described(kind: type[Contract]) -> None:
    assert kind.model_config["extra"] == ("ignore" if issubclass(kind, ForeignMessage) else "forbid")
    assert kind.model_config["frozen"]
    assert (kind.__doc__ or "").rstrip().endswith(".")


@pytest.mark.parametrize("kind", _MESSAGES)
def test_no_message_is_keyed_by_class_or_feature(kind: type[Contract]) -> None:
    """Objects with free keys are sent by callers: instances, languages by table, parameters of a foreign protocol."""
    free = {"parameters"} if issubclass(kind, ForeignMessage) else {"answers", "instances", "others", "tables"}
    schema = kind.model_json_schema()
    for each in (schema, *schema.get("$defs", {}).values()):
        assert each.get("additionalProperties", False) is False
        for name, field in each.get("properties", {}).items():
            options = [field, *field.get("anyOf", []), field.get("items", {}), *field.get("items", {}).get("anyOf", [])]
            is_free = any(option.get("additionalProperties") for option in options if option.get("type") == "object")
            assert not is_free or name in free


def test_numbers_are_finite() -> None:
    for value in (float("nan"), float("inf"), -float("inf")):
        with pytest.raises(ValidationError):
            PrototypeSetRequest(model="m", dataset="d", alpha=value)


def test_unknown_fields_are_refused_and_set_ones_cannot_be_changed() -> None:
    with pytest.raises(ValidationError, match="extra_forbidden"):
        DatasetMetadata.model_validate({"targets": "t"})
    with pytest.raises(ValidationError, match="frozen"):
        DatasetMetadata(target="t").target = "u"  # type: ignore[misc]  # that is the point


@pytest.mark.parametrize("name", ["", "a\nb", "a\x00b", "a\x7f", "x" * 256])
def test_names_are_short_and_without_control_characters(name: str) -> None:
    with pytest.raises(ValidationError):
        DatasetMetadata(name=name)


@pytest.mark.parametrize("name", ["a", "x" * 255, "Zürich 東京", "=1+1", "a\"'<b>"])
def test_names_are_otherwise_free(name: str) -> None:
    assert DatasetMetadata(name=name).name == name


@pytest.mark.parametrize("noun", NOUNS.made_by_jobs, ids=lambda noun: noun.name)
def test_an_artefact_nests_its_result_which_is_null_until_it_is_ready(noun: Noun[Any]) -> None:
    standing = {"object", "id", "status", "job", "reused", "created_at", "request", "problem"}

    assert set(noun.view.model_fields) == standing | {"result"}
    assert noun.result is not None
    assert noun.view.model_fields["result"].annotation == noun.result | None
    assert noun.view.model_fields["result"].default is None


def test_pages_are_lists_with_a_cursor() -> None:
    page: dict[str, Any] = json.loads(Page[PrototypeSetRequest](data=[]).model_dump_json())

    assert page == {"object": "list", "data": [], "next_cursor": None}


def test_instances_are_objects_or_lists_of_anything() -> None:
    good: tuple[object, ...] = ({}, [], {"a": {"b": []}}, [None, [1]])
    bad: tuple[object, ...] = ("x", 7, None, True)
    for instance in good:
        assert ExplanationRequest.model_validate({"instances": [instance]}).instances == [instance]
    for instance in bad:
        with pytest.raises(ValidationError):
            ExplanationRequest.model_validate({"instances": [instance]})


@pytest.mark.parametrize("name", ["Ünïcode", "a\N{NO-BREAK SPACE}b", "\U0001f469\u200d\U0001f4bb", "a\u200cb"])
def test_names_are_any_words(name: str) -> None:
    assert Renaming(name=name).name == name


@pytest.mark.parametrize(
    "unseen", ["\t", "\n", "\x1b[2J", "\x85", "\u00ad", "\u200b", "\u200f", "\u2028", "\u202e", "\u2066", "\ufeff"]
)
def test_names_hold_nothing_that_nobody_sees_and_notes_lines_alone(unseen: str) -> None:
    with pytest.raises(ValidationError, match="nobody would see") as refused:
        Renaming(name=f"a{unseen}b")
    assert ascii(unseen[0])[1:-1] in str(refused.value)

    request = {"decision": "keep", "note": f"a{unseen}b"}
    if unseen in {"\t", "\n"}:
        assert LabelDecisionRequest.model_validate(request).note == request["note"]
    else:
        with pytest.raises(ValidationError, match="nobody would see"):
            LabelDecisionRequest.model_validate(request)
