"""Problems: one vocabulary, each code with a status and a title."""

import re

import pytest

from schemas.problems import PROBLEM_KINDS, FieldProblem, Problem, problem_for, problem_json

_PREFIXES_OF_422 = ("model_", "bad_", "unknown_")


@pytest.mark.parametrize("code", PROBLEM_KINDS)
def test_every_code_makes_a_whole_problem(code: str) -> None:
    problem = problem_for(code, "what was wrong", "some-request-id")

    assert re.fullmatch(r"[a-z]+(_[a-z]+)*", code)
    assert problem.type.endswith(f"/{code}")
    assert problem.code == code
    assert 400 <= problem.status <= 599
    assert problem.title
    assert not problem.title.endswith(".")
    assert Problem.model_validate_json(problem.model_dump_json()) == problem


def test_codes_that_speak_of_the_callers_content_are_the_callers_fault() -> None:
    for code, kind in PROBLEM_KINDS.items():
        if code.startswith(_PREFIXES_OF_422):
            assert kind.status in {400, 422}, code
        if code.startswith("dataset_") and code != "dataset_changed":  # the caller's request was right once
            assert kind.status in {413, 422}, code


def test_what_says_nothing_is_left_out() -> None:
    assert set(problem_json(problem_for("in_use", "by another"))) == {"type", "title", "status", "detail", "code"}

    errors = [FieldProblem(pointer="/a", detail="b")]
    sent = problem_json(problem_for("validation_failed", "c", "some-request-id", errors))
    assert sent["errors"] == [{"pointer": "/a", "detail": "b"}]
    assert sent["request_id"] == "some-request-id"


def test_long_names_and_values_are_shortened_and_the_advice_stays() -> None:
    field = FieldProblem(pointer="/" + "p" * 5_000_000, detail="d" * 5_000_000)

    problem = problem_for("not_found", f"nothing has the id {'x' * 5_000_000}; list them", None, [field])

    assert len(problem.model_dump_json()) < 8_000
    assert problem.detail.startswith("nothing has the id xxx")
    assert problem.detail.endswith("xxx; list them")
    assert problem_for("not_found", "x" * 4_000).detail == "x" * 4_000


def test_an_unknown_code_is_our_own_fault() -> None:
    with pytest.raises(KeyError):
        problem_for("no_such_code", "")
