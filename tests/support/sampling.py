"""Large products of cases: `make test` runs a part in which everything meets, `make test-long` all of them.

``@pytest.mark.sampled("pairs")`` keeps cases until each two values of different parameters have met in one of them;
``@pytest.mark.sampled("values")`` until each value of each parameter was there; ``@pytest.mark.sampled("thirds")``
keeps every third case in the order of collection, of one long list whose neighbours share an implementation. The other
cases become ``long``.
``@drawn(20, 200, text=strategies.text())`` calls a test with 20 examples that Hypothesis draws, and in
`make test-long` with 200.
"""

from collections import defaultdict
from collections.abc import Callable, Iterable
from itertools import combinations
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings

Met = frozenset[tuple[str, str]]


def mark_long_cases(items: list[pytest.Item]) -> None:
    """Mark the cases of sampled tests that are not in the sample as long; those that are long already do not count."""
    cases: dict[str, list[pytest.Function]] = defaultdict(list)
    for item in items:
        if not isinstance(item, pytest.Function) or item.get_closest_marker("long"):
            continue
        if item.get_closest_marker("sampled"):
            cases[item.nodeid.partition("[")[0]].append(item)
    for of_test in cases.values():
        marker = of_test[0].get_closest_marker("sampled")
        assert marker is not None
        (kind,) = marker.args
        kept = set(of_test[::3]) if kind == "thirds" else _sample(of_test, {"values": 1, "pairs": 2}[kind])
        for case in of_test:
            if case not in kept:
                case.add_marker(pytest.mark.long)


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


def _sample(cases: list[pytest.Function], n_met: int) -> set[pytest.Function]:
    """Return cases in which all combinations of ``n_met`` values occur: greedily, the first of the best."""
    values = {case: sorted((name, repr(value)) for name, value in case.callspec.params.items()) for case in cases}
    met = {case: {frozenset(some) for some in combinations(values[case], n_met)} for case in cases}
    open_ = set[Met]().union(*met.values())
    kept: set[pytest.Function] = set()
    while open_:
        best = max(cases, key=lambda case: len(met[case] & open_))
        kept.add(best)
        open_ -= met[best]
    return kept
