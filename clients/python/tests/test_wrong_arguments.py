"""What callers pass by mistake is refused by the SDK's own errors, which name the parameter and what it takes."""

import inspect
import math
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from leafspace_client import CannotWrite, Explanations, Invalid, Leafspace, LeafspaceError, RetryPolicy, WrongArgument
from sklearn.ensemble import RandomForestClassifier

from tests.support.sampling import mostly_long
from tests.support.wrong_arguments import WRONG_VALUES, wrong_calls

_OF_NO_ARGUMENT = frozenset({"close", "list"})  # a list's filters have any name


@pytest.fixture(scope="module")
def nowhere() -> Leafspace:
    """Return a client of no service: what is not refused before it is sent fails as ConnectionFailed."""
    return Leafspace("http://127.0.0.1:9", retries=RetryPolicy(total_seconds=0))


@pytest.mark.parametrize("number", mostly_long(range(len(WRONG_VALUES)), 0, 9))
def test_no_wrong_value_leads_to_an_exception_of_another_kind(
    number: int, nowhere: Leafspace, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)  # a text is the name of a file, which is written
    failures, n_calls = [], 0
    for name, method in _methods(nowhere):
        needed = [each for each in inspect.signature(method).parameters.values() if each.default is each.empty]
        right = {each.name: "mdl_1" for each in needed if each.kind is not each.VAR_KEYWORD}
        for called, arguments in wrong_calls(name, method, right, WRONG_VALUES[number : number + 1]):
            n_calls += 1
            try:
                method(**arguments)
            except LeafspaceError:
                continue
            except Exception as error:  # noqa: BLE001  # which is what is looked for
                failures.append(f"{called}: {type(error).__name__}: {error}"[:300])

    assert failures == []
    assert n_calls > 300


def _methods(client: Leafspace) -> Iterator[tuple[str, Callable[..., Any]]]:
    """Yield the methods of the client, of its collections, and of what these make."""
    yield from _methods_of("client", client)
    for name in dir(client):
        collection: Any = None if name.startswith("_") else getattr(client, name)
        if not hasattr(collection, "get"):
            continue
        yield from _methods_of(name, collection)
        if collection.view is not None:
            yield from _methods_of(name.removesuffix("s"), collection.view(client._transport, None, "pts_1"))


def _methods_of(name: str, thing: Any) -> Iterator[tuple[str, Callable[..., Any]]]:
    for member in dir(type(thing)):
        method = getattr(type(thing), member)
        if member.startswith("_") or member in {*_OF_NO_ARGUMENT, "show"} or not inspect.isfunction(method):
            continue
        yield f"{name}.{member}", getattr(thing, member)


def test_the_message_names_the_parameter_its_value_and_what_it_takes(nowhere: Leafspace) -> None:
    create: Any = nowhere.prototype_sets.create
    for wrong, words in (
        ({"method": "kmedoids"}, r"create\(\) cannot take method='kmedoids'; give 'sm_u' or .* or 'k_medoids'"),
        ({"n_prototypes": "many"}, r"n_prototypes='many'; give a whole number or 'validate' or None"),
        ({"n_prototypes": 2.5}, r"n_prototypes=2\.5; give a whole number"),
        ({"n_prototypes": True}, r"n_prototypes=True; give a whole number"),
        ({"coverage": math.nan}, r"coverage=nan; give a number or None"),
        ({"n_prototype": 3}, r"PrototypeSets\.create\(\) got an unexpected keyword argument 'n_prototype'"),
    ):
        with pytest.raises(WrongArgument, match=words) as caught:
            create("mdl_1", "ds_1", **wrong)
        assert isinstance(caught.value, Invalid)  # and so a ValueError
        assert isinstance(caught.value, TypeError)
    with pytest.raises(WrongArgument, match=r"cannot take feature_names='abc'; give a list"):
        nowhere.register_model(b"onnx", feature_names="abc")
    with pytest.raises(WrongArgument, match=r"to_frame\(\) cannot take rows='prototypes'; give 'explanations' or"):
        Explanations([], None).to_frame("prototypes")  # type: ignore[arg-type]  # that is what is tested
    no_rows: Any = {"row_ids": 5}
    with pytest.raises(WrongArgument, match=r"nearest_rows=.*; give a dict of n_rows, classes, .* or None"):
        nowhere.explanation_sets.create("exp_1", "ds_1", nearest_rows=no_rows)
    with pytest.raises(WrongArgument, match="JSON cannot say"):
        nowhere.register_dataset([[1.0]], columns=[{"name": "x0", "title": {1, 2}}])


def test_numbers_of_numpy_are_numbers(client: Leafspace) -> None:
    rows = np.random.default_rng(0).normal(size=(40, 3))
    forest = RandomForestClassifier(n_estimators=3, max_depth=3, random_state=0).fit(rows, rows[:, 0] > 0)
    model, dataset = client.register_model(forest, rows), client.register_dataset((rows, rows[:, 0] > 0))

    numbers: list[tuple[Any, Any]] = [(3, 0), (np.int64(3), np.uint8(0)), (3.0, np.float64(0))]
    same = [client.prototype_sets.create(model, dataset, n_prototypes=count, seed=seed) for count, seed in numbers]
    assert len({each.id for each in same}) == 1


def test_a_file_that_cannot_be_written_is_refused_with_the_reason(client: Leafspace, tmp_path: Path) -> None:
    dataset = client.register_dataset(np.arange(12.0).reshape(4, 3))
    (tmp_path / "folder").mkdir()
    for path, reason in ((tmp_path / "none" / "file.html", "No such file"), (tmp_path / "folder", "s a directory")):
        with pytest.raises(CannotWrite, match=f"cannot write .*{reason}"):
            dataset.save(path)
    with pytest.raises(OSError, match="cannot write"):
        dataset.save("")
