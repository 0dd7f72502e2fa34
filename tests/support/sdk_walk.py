"""A walk of all public calls of the SDK, found by introspection: each answers, or says in words of ours what is wrong.

Arguments are found by the names of parameters. What has choices (``method``, ``form``, …) is called with each of them.
A call with a parameter whose name is not known here fails the walk: give it a value in ``_Walk.arguments``, or say in
``NOT_WALKED`` why the call is left out.
"""

import inspect
import itertools
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal, get_args, get_origin

import numpy as np
from leafspace_client import Leafspace, LeafspaceError, Notice

from scripts.models_table.trial import RAW_TEXT, FittedCase
from tests.support.patience import PATIENCE_SECONDS
from tests.support.wrong_arguments import wrong_calls

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
_CHOICES = frozenset({"method", "form", "proximity_kind", "detail", "regions"})
# What the caller can do nothing about: an error of ours, or no end within minutes.
_OF_OURS = frozenset({"internal_error", "internal", "unexpected_answer", "job_failed", "job_not_finished"})
# What a call may lack, because what makes it was refused, or because the walk is about something else.
_MADE = frozenset(
    {"api_key", "classes", "dataset", "explainer", "explanation", "feature_set", "instances", "job", "model"}
) | {"prototype_set", "relational_dataset", "rule_set", "by", "one", "other", "other_dataset"}
_N_ROWS = 5


@dataclass
class Walk:
    """A walk that is under way."""

    client: Leafspace
    folder: Path  # where downloads go
    with_choices: bool = True  # of parameters that have some; otherwise each call is made once
    wrong_values: Sequence[Any] = ()  # that each parameter gets, besides what it takes
    arguments: dict[str, Any] = field(default_factory=dict)
    failures: list[str] = field(default_factory=list)
    n_calls: int = 0

    def __post_init__(self) -> None:
        numbers = itertools.count()
        self.arguments |= {
            "tree": 0,
            "row": 0,
            "rank": 0,
            "row_id": "0",
            "decision": "keep",
            "name": lambda: f"walk-{next(numbers)}",
            "path": lambda: self.folder / f"file-{next(numbers)}",
            "title": "A walk",
            "value": None,
            "answers": {},
            "scopes": ["read"],
            "dictionary": {"features": {}},
            "generate": {"depth": 1},
        }

    def call(self, name: str, function: Callable[..., Any], arguments: Mapping[str, Any]) -> Any:  # what it returns
        """Return the result, or nothing where the call is refused; keep a failure that no caller can act on."""
        self.n_calls += 1
        try:
            result = function(**arguments)
            _look_at(result)
        except LeafspaceError as error:
            text = f"{error.code}: {error}"
            if error.code in _OF_OURS or "on our side" in text or RAW_TEXT.search(str(error)):
                self.failures.append(f"{name}: {text}"[:600])
            return None
        except Exception as error:  # noqa: BLE001  # which is what is looked for
            self.failures.append(f"{name}: {type(error).__name__}: {error}"[:600])
            return None
        return result

    def of_collections(self, names: Sequence[str] = ()) -> None:
        """Make one artefact of each kind (of these, if some are named), and make all calls that there are."""
        collections = [each for each in _collections(self.client) if not names or each[0] in names]
        for name, collection in _makers(collections):
            _make(self, name, collection)
        for name, collection in collections:
            _call_all(self, name, collection, self.arguments.get(_singular(name)))


def walk_model(walk: Walk, of: FittedCase) -> None:
    """Register a fitted model and its rows, and make all calls that take a model or what is made of it.

    A model that is refused is registered by the names of its features, and then for its predictions alone.
    """
    names = {"feature_names": [str(name) for name in getattr(of.rows, "columns", ())] or None}
    options = dict(of.case.options)
    for attempt in ({"X": of.rows}, names, {"X": of.rows, "oracle_only": True}, names | {"oracle_only": True}):
        model = walk.call("register_model", walk.client.register_model, {"model": of.model, **options, **attempt})
        if model is not None:
            break
    dataset = walk.call("register_dataset", walk.client.register_dataset, {"data": (of.rows, _target(of))})
    if dataset is None:
        some = _finite_rows(of)
        dataset = walk.call(
            "register_dataset", walk.client.register_dataset, {"data": (some, _target(of)[: len(some)])}
        )
    rows = of.rows[:_N_ROWS] if not hasattr(of.rows, "iloc") else of.rows.iloc[:_N_ROWS]
    newer = (
        None if dataset is None else walk.call("register_dataset", walk.client.register_dataset, {"data": _half(of)})
    )
    known = {"model": model, "dataset": dataset, "classes": None if model is None else model.classes}
    known |= {"by": model, "one": dataset, "other": newer, "other_dataset": newer}
    walk.arguments |= {"rows": rows, "others": rows} | {
        name: thing for name, thing in known.items() if thing is not None
    }
    walk.of_collections()


def _target(of: FittedCase) -> Any:  # an array, a Series
    """Return what a dataset has as target: the library's labels of a classifier, or the values of a regressor."""
    if of.truth is not None and of.truth.labels is not None:
        return of.truth.labels
    target = np.asarray(of.data.target)
    return target if target.ndim == 1 else target[:, 0]


def _finite_rows(of: FittedCase) -> Any:  # a pair of rows and target
    """Return the rows without an infinite cell, and their target, where a dataset takes none such."""
    cells = np.asarray(of.rows, object)
    finite = [not any(np.isinf(each) for each in values if _is_number(each)) for values in cells]
    rows = of.rows.iloc[np.flatnonzero(finite)] if hasattr(of.rows, "iloc") else of.rows[np.flatnonzero(finite)]
    return rows, np.asarray(_target(of))[finite]


def _half(of: FittedCase) -> Any:  # a pair of rows and target
    """Return half of the rows and their target, as if they were newer."""
    some = of.rows.iloc[::2] if hasattr(of.rows, "iloc") else of.rows[::2]
    return some, _target(of)[::2]


def _is_number(cell: Any) -> bool:  # of any type
    return isinstance(cell, float | np.floating)


def walk_tables(walk: Walk, tables: Mapping[str, Any], declared: Mapping[str, Any], instances: Any) -> None:
    """Register several tables, and make all calls about these and about what is made of them.

    Parameters
    ----------
    tables
        Data frames by name.
    declared
        What ``register_relational_dataset`` takes besides.
    instances
        Examples with the rows of their other tables, as features are computed for.
    """
    register = walk.client.register_relational_dataset
    dataset = walk.call("register_relational_dataset", register, {"tables": tables, **declared})
    if dataset is not None:
        walk.arguments |= {"relational_dataset": dataset, "instances": instances}
    walk.of_collections(("relational_datasets", "relational_forests", "feature_sets", "jobs"))


def _makers(collections: Sequence[tuple[str, Any]]) -> Iterator[tuple[str, Any]]:
    """Yield the collections that make something, those first that others are made from."""
    order = ("relational_forests", "prototype_sets", "rule_sets", "approximation_trees", "explainers")
    made = {name: collection for name, collection in collections if hasattr(collection, "create")}
    for name in sorted(made, key=lambda name: (name not in order, order.index(name) if name in order else 0)):
        yield name, made[name]


def _collections(client: Leafspace) -> Iterator[tuple[str, Any]]:
    for name in dir(client):
        part = None if name.startswith("_") else getattr(client, name)
        if part is not None and hasattr(part, "get") and hasattr(part, "list"):
            yield name, part


def _singular(name: str) -> str:
    return "proximities" if name == "proximities" else name.removesuffix("s")


def _make(walk: Walk, name: str, collection: Any) -> None:  # a collection
    """Make one artefact for each choice, wait for all, and make all calls of each that is ready."""
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
            walk.arguments.setdefault("job", getattr(ready, "job", None))
            _call_all(walk, label, ready, ready)
    _call_wrongly(walk, f"{name}.create", collection.create)


def _call_all(walk: Walk, name: str, thing: Any, itself: Any) -> None:  # a collection or an artefact
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
            result = walk.call(called, getattr(thing, member), arguments)
            if member == "explain" and result:
                walk.arguments.setdefault("explanation", result[0])
                _call_all(walk, f"{called}[0]", result[0], result[0])
        _call_wrongly(walk, label, getattr(thing, member), itself)


def _call_wrongly(walk: Walk, name: str, function: Callable[..., Any], itself: Any = None) -> None:
    """Call a function with each wrong value of each parameter; what is made by chance is not waited for."""
    for _, right in itertools.islice(_calls(walk, name, function, itself), 1 if walk.wrong_values else 0):
        for called, arguments in wrong_calls(name, function, right, walk.wrong_values):
            walk.call(called, function, arguments)


def _calls(
    walk: Walk,
    name: str,
    function: Callable[..., Any],
    itself: Any = None,  # what it is a method of
) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield the arguments of each call of a function: once as it is, and once with each choice of a parameter."""
    # Some types are imported late, as what draws is.
    parameters = inspect.signature(function, eval_str=True, locals={"Notice": Notice}).parameters.values()
    known = walk.arguments | {"thing": itself}
    needed = {each.name for each in parameters if each.default is each.empty} | _passed_all_the_same(parameters)
    if lacking := needed - set(known):
        assert lacking <= _MADE, f"{name} takes {lacking}: give a value in sdk_walk, or say in NOT_WALKED why not"
        return
    fixed = {each: known[each]() if inspect.isfunction(known[each]) else known[each] for each in needed}
    yield name, fixed
    for parameter in parameters if walk.with_choices else ():
        if parameter.name in _CHOICES:
            for choice in _choices(parameter.annotation):
                if choice != parameter.default:
                    yield f"{name}({parameter.name}={choice!r})", fixed | {parameter.name: choice}


def _passed_all_the_same(parameters: Any) -> set[str]:  # of a signature
    """Return the parameters without which a call says little, though they may be left out, such as another dataset."""
    names = {each.name for each in parameters}
    return ({"rows"} & names if "dataset" in names else set()) | ({"generate", "other_dataset", "by"} & names)


def _choices(annotation: Any) -> Iterator[Any]:  # a type
    if get_origin(annotation) is Literal:
        yield from get_args(annotation)
    else:
        for part in get_args(annotation):
            yield from _choices(part)


def _look_at(result: Any) -> None:  # anything
    """Print it as a notebook does."""
    for text in (repr, str):
        text(result)
    html = getattr(result, "_repr_html_", None)
    if callable(html):
        html()
    if inspect.isgenerator(result) or (hasattr(result, "__next__") and hasattr(result, "__iter__")):
        list(itertools.islice(result, 3))
