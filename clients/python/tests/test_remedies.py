"""What errors say beside the service's own words: the call that helps, and the name that was meant."""

import re
from collections.abc import Callable
from typing import Any

import leafspace_client
import pytest
from leafspace_client import Explainer, Explanations, Leafspace, LeafspaceError, NotFound, PrototypeSet, remedies
from leafspace_client.types import Cell

from schemas.nouns import NOUNS
from schemas.problems import PROBLEM_KINDS
from storage.records import singular
from tests.support.scripted_server import Answer, scripted

_CLIENT = Leafspace()
_DETAILS = (
    "no prototype set has the id 'prs_1'; list the prototype sets to see those that exist",
    "'prs_1' is pending; see job 'job_1'",
    "explainer 'xpl_1' has no rules to include; register one with a rule_set",
    "",
)


def test_a_remedy_belongs_to_a_problem_of_the_service_and_names_calls_that_exist() -> None:
    texts = [remedies.call_that_helps(code, detail) for code in remedies._REMEDIES for detail in _DETAILS]

    assert set(remedies._REMEDIES) <= set(PROBLEM_KINDS)
    calls = {call for text in texts for call in re.findall(r"client((?:\.\w+)+)\(", text)}
    assert len(calls) > 8
    for call in calls:
        found: Any = _CLIENT
        for name in call.split(".")[1:]:
            found = getattr(found, name)
        assert callable(found), call


def test_what_is_missing_of_any_kind_can_be_listed() -> None:
    stored = [noun.name for noun in NOUNS.values() if noun.is_stored and noun.id_prefix]
    assert len(stored) > 12
    for name in stored:
        words = singular(name)
        error = NotFound("not_found", f"no {words} has the id 'x_1'; list the {name.replace('_', ' ')}")
        makes = {f"create_{name}", f"register_{words.replace(' ', '_')}"} & set(_operations())
        assert error.remedy.startswith(f"client.{name}.list() yields those that exist"), name
        assert error.remedy.endswith(" makes one") == bool(makes), (name, makes)


def _operations() -> list[str]:
    return dir(Leafspace) + [f"create_{name}" for name in NOUNS if hasattr(getattr(_CLIENT, name, None), "create")]


@pytest.mark.parametrize(
    ("code", "detail", "call"),
    [
        ("not_found", _DETAILS[0], "client.prototype_sets.create(…) makes one"),
        ("not_found", "no model has the id 'mdl_1'; list", "client.register_model(…) makes one"),
        ("not_found", "no explainer has the name 'x'; list", "client.explainer_names.put(…) makes one"),
        ("artefact_not_ready", _DETAILS[1], "client.jobs.wait('job_1')"),
        ("validation_failed", _DETAILS[2], "client.explainers.create(model, prototype_set, rule_set=…)"),
        ("unauthenticated", "", "LEAFSPACE_API_KEY"),
        ("schema_mismatch", "dataset 'ds_1' lacks 'age' of model 'mdl_1'; it has 'size'", "client.models.get(model)"),
        ("schema_mismatch", "the instance has 1 value, the model has 2 features", "client.models.get(model)"),
    ],
)
def test_an_error_names_the_call_that_helps(code: str, detail: str, call: str) -> None:
    error = LeafspaceError(code, detail)

    assert call in error.remedy
    assert str(error).splitlines() == [f"{detail} [{code}]", f"Try: {error.remedy}"]


def test_an_error_without_a_remedy_is_its_detail() -> None:
    assert str(LeafspaceError("validation_failed", "seed is -1")) == "seed is -1 [validation_failed]"
    assert LeafspaceError("of_a_later_release", "new").remedy == ""


@pytest.mark.parametrize(
    "detail",
    [
        "model 'mdl_1' has the one class 'a', and prototypes separate classes; take a model of at least two classes",
        "all 9 rows of dataset 'ds_1' are predicted 'a': there is nothing for rules to separate; send other rows",
        "dataset 'ds_1' has no target to audit; name it in the dataset's metadata",
    ],
)
def test_features_are_no_remedy_for_labels(detail: str) -> None:
    assert LeafspaceError("schema_mismatch", detail).remedy == ""


def test_an_answer_of_the_service_comes_with_its_remedy() -> None:
    missing = Answer(404, {"code": "not_found", "detail": _DETAILS[0], "status": 404})
    with scripted(missing) as server, pytest.raises(NotFound, match=r"Try: client\.prototype_sets\.list\(\)"):
        Leafspace(server.url).prototype_sets.get("prs_1")


@pytest.mark.parametrize(
    ("misspelt", "error", "meant"),
    [
        (lambda: _any(_CLIENT).modles, AttributeError, "models"),
        (lambda: _any(_CLIENT.models).gett, AttributeError, "get"),
        (lambda: _any(PrototypeSet(_CLIENT._transport, None, "prs_1")).prototype, AttributeError, "prototypes"),
        (lambda: _any(leafspace_client).Explaner, AttributeError, "Explainer"),
        (lambda: _any(Cell(name="age", value=1)).nam, AttributeError, "name"),
        (lambda: _any(_CLIENT).prototype_sets.create("mdl_1", "ds_1", n_prototype=1), TypeError, "n_prototypes"),
        (lambda: _any(_CLIENT).models.list(nam="x"), TypeError, "name"),
    ],
)
def test_a_misspelt_name_is_answered_with_a_near_one(
    misspelt: Callable[[], object], error: type[Exception], meant: str
) -> None:
    with pytest.raises(error, match=rf"; did you mean '{meant}'\?"):
        misspelt()


def _any(thing: object) -> Any:  # a type checker knows that there is no such name
    return thing


def test_a_name_that_is_near_none_has_no_suggestion() -> None:
    with pytest.raises(AttributeError, match=r"'Explainer' object has no attribute 'zzz'$"):
        _ = _any(Explainer(_CLIENT._transport, None, "xpl_1")).zzz
    with pytest.raises(KeyError, match="no explanation is of row 'loan-1'"):
        _ = Explanations([], None)["loan-1"]
