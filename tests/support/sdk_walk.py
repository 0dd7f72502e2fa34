"""A walk of all public calls of the SDK that take a model, found by introspection: none may fail in an untold way.

Arguments are found by the names of parameters. What has choices (``method``, ``form``, …) is called with each of them.
A call with a parameter whose name is not known here fails the walk: give it a value in ``_Walk.arguments``, or say in
``NOT_WALKED`` why the call is left out.
"""

import inspect
import itertools
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal, get_args, get_origin

from leafspace_client import Leafspace, LeafspaceError

from scripts.models_table.trial import RAW_TEXT, FittedCase
from tests.support.patience import PATIENCE_SECONDS

NOT_WALKED = {
    "cancel": "jobs are waited for",
    "close": "of the client",
    "delete": "others rest on what is made",
    "delete_row": "of stored explanations",
    "register_source": "datasets of a lake are not registered here",
    "registration": "a class",
    "show": "it serves the page until the process ends",
    "view": "a class",
}
_COLLECTIONS_NOT_WALKED = frozenset({"api_keys", "relational_datasets", "relational_forests", "feature_sets", "jobs"})
_CHOICES = frozenset({"method", "form", "proximity_kind", "detail", "regions"})
_UNTOLD = frozenset({"internal_error", "internal", "unexpected_answer"})
_N_ROWS = 5


@dataclass
class _Walk:
    client: Leafspace
    of: FittedCase
    folder: Path
    arguments: dict[str, Any] = field(default_factory=dict)
    failures: list[str] = field(default_factory=list)
    n_calls: int = 0

    def call(self, name: str, function: Callable[..., Any], arguments: dict[str, Any]) -> Any:  # noqa: ANN401  # what it returns
        """Return the result, or nothing where the call is refused; keep an untold failure."""
        self.n_calls += 1
        try:
            result = function(**arguments)
            _look_at(result)
        except LeafspaceError as error:
            text = f"{error.code}: {error}"
            if error.code in _UNTOLD or "on our side" in text or RAW_TEXT.search(str(error)):
                self.failures.append(f"{name}: {text}"[:600])
            return None
        except Exception as error:  # noqa: BLE001  # which is what is looked for
            self.failures.append(f"{name}: {type(error).__name__}: {error}"[:600])
            return None
        return result


def walk(client: Leafspace, of: FittedCase, folder: Path) -> tuple[list[str], int]:
    """Return what failed in an untold way with a model, and the number of calls.

    Parameters
    ----------
    client
        Of a running service.
    of
        A fitted model with its rows.
    folder
        Where downloads go.
    """
    walk = _Walk(client, of, folder)
    options = dict(of.case.options)
    model = walk.call("register_model", client.register_model, {"model": of.model, "X": of.rows, **options})
    if model is None:
        names = {"feature_names": [str(name) for name in getattr(of.rows, "columns", ())] or None}
        model = walk.call("register_model", client.register_model, {"model": of.model, **names, **options})
    data = (of.rows, of.data.target)
    dataset = walk.call("register_dataset", client.register_dataset, {"data": data})
    if model is None or dataset is None:
        return walk.failures, walk.n_calls
    walk.arguments |= _arguments(walk, model, dataset)
    for maker in _makers(client):
        _make(walk, *maker)
    for name, collection in _collections(client):
        _call_all(walk, name, collection, walk.arguments.get(_singular(name)))
    return walk.failures, walk.n_calls


def _arguments(walk: _Walk, model: Any, dataset: Any) -> dict[str, Any]:  # noqa: ANN401  # records
    rows = walk.of.rows[:_N_ROWS] if not hasattr(walk.of.rows, "iloc") else walk.of.rows.iloc[:_N_ROWS]
    numbers = itertools.count()
    return {
        "model": model,
        "dataset": dataset,
        "rows": rows,
        "others": rows,
        "classes": model.classes,
        "tree": 0,
        "row": 0,
        "rank": 0,
        "row_id": "0",
        "decision": "keep",
        "name": lambda: f"walk-{next(numbers)}",
        "path": lambda: walk.folder / f"file-{next(numbers)}",
        "title": "A walk",
        "value": None,
        "answers": (),
    }


def _makers(client: Leafspace) -> Iterator[tuple[str, Any]]:
    """Yield the collections that make something, those first that others are made from."""
    order = ("prototype_sets", "rule_sets", "approximation_trees", "explainers")
    made = dict(_collections(client))
    for name in sorted(made, key=lambda name: (name not in order, order.index(name) if name in order else 0)):
        if hasattr(made[name], "create"):
            yield name, made[name]


def _collections(client: Leafspace) -> Iterator[tuple[str, Any]]:
    for name in dir(client):
        part = None if name.startswith("_") or name in _COLLECTIONS_NOT_WALKED else getattr(client, name)
        if part is not None and hasattr(part, "get") and hasattr(part, "list"):
            yield name, part


def _singular(name: str) -> str:
    return "proximities" if name == "proximities" else name.removesuffix("s")


def _make(walk: _Walk, name: str, collection: Any) -> None:  # noqa: ANN401  # a collection
    """Make one artefact for each choice, wait for all, and call all that the first that is ready has."""
    requested = [
        (label, walk.call(label, collection.create, arguments))
        for label, arguments in _calls(walk, f"{name}.create", collection.create)
    ]
    for label, artefact in requested:
        if artefact is None:
            continue
        wait = getattr(artefact, "wait", None)
        ready = artefact if wait is None else walk.call(f"{label}.wait", wait, {"timeout": PATIENCE_SECONDS})
        if ready is not None:
            walk.arguments.setdefault(_singular(name), ready)
            _call_all(walk, label, ready, ready)


def _call_all(walk: _Walk, name: str, thing: Any, itself: Any) -> None:  # noqa: ANN401  # a collection or an artefact
    """Call all public methods of a thing, and read all its properties."""
    for member in dir(thing):
        if member.startswith("_") or member in NOT_WALKED or member in {"create", "wait"}:
            continue
        label = f"{name}.{member}"
        if not callable(getattr(type(thing), member, None)):
            walk.call(label, lambda member=member: getattr(thing, member), {})
            continue
        if itself is None and "thing" in inspect.signature(getattr(thing, member)).parameters:
            continue
        for called, arguments in _calls(walk, label, getattr(thing, member), itself):
            found = walk.call(called, getattr(thing, member), arguments)
            if member == "explain" and found:
                _call_all(walk, f"{called}[0]", found[0], found[0])


def _calls(
    walk: _Walk,
    name: str,
    function: Callable[..., Any],
    itself: Any = None,  # noqa: ANN401  # what it is a method of
) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield the arguments of each call of a function: once as it is, and once with each choice of a parameter."""
    parameters = inspect.signature(function, eval_str=True).parameters.values()
    known = walk.arguments | {"thing": itself}
    needed = {each.name for each in parameters if each.default is each.empty} | _named_rows(parameters)
    lacking = needed - set(known)
    if lacking & {"explainer", "prototype_set", "explanation", "rule_set"}:  # it was refused
        return
    assert not lacking, f"{name} takes {lacking}: give a value in sdk_walk, or say in NOT_WALKED why it is left out"
    fixed = {each: known[each]() if inspect.isfunction(known[each]) else known[each] for each in needed}
    yield name, fixed
    for parameter in parameters:
        if parameter.name in _CHOICES:
            for choice in _choices(parameter.annotation):
                if choice != parameter.default:
                    yield f"{name}({parameter.name}={choice!r})", fixed | {parameter.name: choice}


def _named_rows(parameters: Any) -> set[str]:  # noqa: ANN401  # of a signature
    """Return the parameters that may be left out and are given all the same: rows to explain."""
    names = {each.name for each in parameters}
    return {"rows"} & names if "dataset" in names and "rows" in names else set()


def _choices(annotation: Any) -> Iterator[Any]:  # noqa: ANN401  # a type
    if get_origin(annotation) is Literal:
        yield from get_args(annotation)
    else:
        for part in get_args(annotation):
            yield from _choices(part)


def _look_at(result: Any) -> None:  # noqa: ANN401  # anything
    """Print it as a notebook does."""
    for text in (repr, str):
        text(result)
    html = getattr(result, "_repr_html_", None)
    if callable(html):
        html()
    if inspect.isgenerator(result) or (hasattr(result, "__next__") and hasattr(result, "__iter__")):
        list(itertools.islice(result, 3))
