"""Where the microseconds of one explanation go: the steps of a call, timed where they are called, in one process.

The model is that of ``hot_path``: 300 trees x 50 prototypes, breast cancer (30 features), effects as by default. Other
rows in each call; medians of all. Steps are timed by a wrapper around each function, which adds some tenths of a
microsecond; a step's time includes its compiled loops. HTTP is not in it: ``hot_path`` has the whole call.
``python -m benchmarks.call_steps``
"""

import gc
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import orjson
from sklearn.datasets import load_breast_cancer
from sklearn.ensemble import RandomForestClassifier

from explanations import explained_rows
from explanations.effect_texts import EffectTexts
from explanations.effects import WarmEffects
from explanations.reason_texts import ReasonTexts
from explanations.warm_explainer import WarmExplainer, warm_up
from service.hot_path import request_of_rows
from service.operations import explained_calls
from service.web.request_class import parsed
from tests.support.workshop import workshop_in
from tree_explainers.compute.compiled import Loop
from tree_explainers.prototype_sets.near_reasons import NearPrototypes

from .machine import describe_machine
from .many_rows import explainer_of

N_TREES, N_CALLS, N_WARMING = 300, 3000, 500
STEPS: dict[str, tuple[Any, str]] = {
    "rows read": (explained_calls, "read_instances"),
    "walk, scores and labels": (explained_rows, "run_readable"),
    "effects": (WarmEffects, "of_rows"),
    "effects as text": (EffectTexts, "write"),
    "nearest prototypes, and their reasons": (NearPrototypes, "to_rows"),
    "reasons as text": (ReasonTexts, "write_row"),
}
_LOOPS = "compiled loops"
Seconds = dict[str, list[float]]


def main() -> None:
    """Measure and print."""
    print(describe_machine())
    data = load_breast_cancer(as_frame=True)
    frame = data.data.astype(np.float32).astype(float)
    forest = RandomForestClassifier(N_TREES, random_state=0, n_jobs=2)
    with tempfile.TemporaryDirectory() as folder, workshop_in(Path(folder)) as workshop:
        explainer, context = explainer_of(workshop, forest, frame, data.target), workshop.context
        warm = warm_up(explainer, context.database, context.objects, context.sessions.get)
        bodies = [orjson.dumps({"instances": [row]}) for row in frame.to_numpy().tolist()]
        gc.freeze()
        gc.set_threshold(50_000, 20, 20)  # as in the service
        whole = _seconds_of_calls(warm, bodies)
        with _timed() as seconds:
            timed = _seconds_of_calls(warm, bodies)
    _print(whole, timed, seconds)


def _seconds_of_calls(warm: WarmExplainer, bodies: list[bytes]) -> list[float]:
    seconds = []
    for number in range(N_WARMING + N_CALLS):
        body = bodies[number % len(bodies)]
        start = time.perf_counter()
        explained_calls.explain_rows(warm, request_of_rows(parsed(body)["instances"]))
        seconds.append(time.perf_counter() - start)
    return seconds[N_WARMING:]


@contextmanager
def _timed() -> Iterator[Seconds]:
    """Yield the seconds of each step in each call from here on, and those of all compiled loops, one by one."""
    seconds: Seconds = {name: [] for name in (*STEPS, _LOOPS)}
    places = {**STEPS, _LOOPS: (Loop, "__call__")}
    untimed = {name: getattr(owner, attribute) for name, (owner, attribute) in places.items()}
    for name, (owner, attribute) in places.items():
        setattr(owner, attribute, _timing(untimed[name], seconds[name]))
    try:
        yield seconds
    finally:
        for name, (owner, attribute) in places.items():
            setattr(owner, attribute, untimed[name])


def _timing(function: Callable[..., Any], seconds: list[float]) -> Callable[..., Any]:
    def timed(*arguments: Any, **options: Any) -> Any:
        start = time.perf_counter()
        result = function(*arguments, **options)
        seconds.append(time.perf_counter() - start)
        return result

    return timed


def _print(whole: list[float], timed: list[float], seconds: Seconds) -> None:
    of_steps = {name: _microseconds(seconds[name][N_WARMING:]) for name in STEPS}
    print(f"one call: {_microseconds(whole):.0f} us, with all timers {_microseconds(timed):.0f} us")
    for name, each in of_steps.items():
        print(f"  {name:40s} {each:4.0f} us")
    print(f"  {'what is between them':40s} {_microseconds(timed) - sum(of_steps.values()):4.0f} us")
    of_calls = np.array_split(seconds[_LOOPS], N_WARMING + N_CALLS)  # each call has as many
    loops = _microseconds([of_call.sum() for of_call in of_calls[N_WARMING:]])
    print(f"compiled loops, which are in these: {loops:.0f} us, in {len(of_calls[0])} calls of Python")


def _microseconds(seconds: list[float]) -> float:
    return float(np.median(seconds)) * 1e6


if __name__ == "__main__":
    main()
