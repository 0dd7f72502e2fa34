"""Large products of cases: `make test` runs a part in which everything meets, `make test-long` all of them.

``@pytest.mark.sampled("pairs")`` keeps cases until each two values of different parameters have met in one of them;
``@pytest.mark.sampled("values")`` until each value of each parameter was there; ``@pytest.mark.sampled("thirds")``
keeps every third case in the order of collection, of one long list whose neighbours share an implementation, and
``@pytest.mark.sampled("tenths")`` every tenth, where a case costs much. The other cases become ``long``, and where the
run leaves long tests out, they are not even collected.
``@drawn(20, 200, text=strategies.text())`` calls a test with 20 examples that Hypothesis draws, and in
`make test-long` with 200.
"""

from collections.abc import Callable, Iterable
from itertools import combinations
from typing import Any

import pytest
from _pytest.python import CallSpec  # pytest has no public name for one case of a parametrized test
from hypothesis import HealthCheck, given, settings

Met = frozenset[tuple[str, str]]


def without_long_cases(cases: list[CallSpec], test: pytest.Item | pytest.Collector, expression: str) -> list[CallSpec]:
    """Return the cases of a test of which items are to be made; those that are not in its sample are marked as long.

    With ``-m "not long"`` as the expression these and others that are long are left out, but for one where all are:
    pytest would only deselect them, in every process.
    """
    short = [case for case in cases if not any(mark.name == "long" for mark in case.marks)]
    marker = test.get_closest_marker("sampled")
    if marker and short and not test.get_closest_marker("long"):
        (kind,) = marker.args
        steps = {"thirds": 3, "tenths": 10}
        sample = short[:: steps[kind]] if kind in steps else _sample(short, {"values": 1, "pairs": 2}[kind])
        for case in short:
            if not any(case is other for other in sample):
                case.marks.append(pytest.mark.long.mark)
        short = sample
    return short or cases[:1] if expression == "not long" else cases


def mostly_long(values: Iterable[Any], *few: object) -> list[Any]:
    """Return the values of a parameter; those that are not among these few are `long`."""
    return [value if value in few else pytest.param(value, marks=pytest.mark.long) for value in values]


def drawn(
    few: int, many: int, **strategies: Any
) -> Callable[[Callable[..., None]], Callable[[int], None]]:  # of any values
    """Return a decorator of a test that takes what these strategies draw: few times, and many in the long suite."""

    def decorate(check: Callable[..., None]) -> Callable[[int], None]:
        @pytest.mark.parametrize("n_examples", [few, pytest.param(many, marks=pytest.mark.long)])
        def test(n_examples: int) -> None:
            wanted = settings(max_examples=n_examples, deadline=None, suppress_health_check=list(HealthCheck))
            wanted(given(**strategies)(check))()

        return test

    return decorate


def _sample(cases: list[CallSpec], n_met: int) -> list[CallSpec]:
    """Return cases in which all combinations of ``n_met`` values occur: greedily, the first of the best."""
    values = [sorted((name, repr(value)) for name, value in case.params.items()) for case in cases]
    met = [{frozenset(some) for some in combinations(of_case, n_met)} for of_case in values]
    open_ = set[Met]().union(*met)
    sample: set[int] = set()
    while open_:
        best = max(range(len(cases)), key=lambda case: len(met[case] & open_))
        sample.add(best)
        open_ -= met[best]
    return [cases[case] for case in sorted(sample)]
