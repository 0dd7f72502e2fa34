"""What predicts is what is printed: how far that is from the plain search's MAP, and what the improved search gains."""

from collections.abc import Callable, Iterator

import numpy as np

from .figures import header, line, shown, shown_range, shown_seconds
from .paper_tables import Draws, decimals, evaluated
from .records import (
    AS_MANY,
    BOXES,
    FOREST,
    IMPROVED_MAP,
    MAP,
    MOST_RULES,
    PLAIN,
    RANDOM_MAP,
    SERVED,
    SHALLOW_TREE,
    Draw,
    Evaluated,
    Who,
    median_conditions,
    most_conditions,
)

ALLOWED_SHARE, ALLOWED_OF_MSE = 0.01, 1.05  # how much worse than MAP printed rules may be
MOST_MEDIAN, MOST_CONDITIONS = 4, 8  # conditions of a rule

_OF_PLAIN = (PLAIN, BOXES, MAP)


def map_table(draws: Draws) -> Iterator[str]:
    """Yield test errors of MAP, printed rules, forest and depth-2 tree, and whether the rules are short enough."""
    yield from header(
        (
            "data",
            "MAP of the plain search",
            "its regions",
            "the same from random parameters",
            "its regions",
            "printed, served",
            "difference",
            "rules",
            "conditions a rule: median",
            "most",
            "printed by the plain search",
            "forest",
            "depth-2 tree",
            "met",
            "draws in which met",
        )
    )
    for dataset, own in draws.items():
        served, best = evaluated(own, SERVED), evaluated(own, MAP)
        n_decimals = decimals(own)
        difference = _mean(served, _error) - _mean(best, _error)
        cells = [dataset, _shown_error(own, MAP), shown_range(one.n_rules or 0 for one in best)]
        cells += [_shown_error(own, RANDOM_MAP), shown_range(one.n_rules or 0 for one in evaluated(own, RANDOM_MAP))]
        cells += [_shown_error(own, SERVED), f"{difference:+.{n_decimals}f}"]
        cells += [shown_range(one.n_rules or 0 for one in served), _shown_medians(served)]
        cells += [shown_range(map(most_conditions, served))]
        cells += [_shown_error(own, who) for who in (PLAIN, FOREST, SHALLOW_TREE)]
        n_met = sum(is_met([draw]) for draw in own)
        yield line([*cells, "yes" if is_met(own) else "**no**", f"{n_met} of {len(own)}"])


def is_met(own: list[Draw]) -> bool:
    """Return whether printed rules are, on average over draws, as near to MAP as required, all few and short."""
    served = evaluated(own, SERVED)
    printed, best = _mean(served, _error), _mean(evaluated(own, MAP), _error)
    is_near = printed <= (best * ALLOWED_OF_MSE if _is_regression(own) else best + ALLOWED_SHARE)
    return is_near and all(_is_short(one) for one in served)


def search_table(draws: Draws) -> Iterator[str]:
    """Yield number of rules, fidelity, error and seconds of the plain and the improved search."""
    names = (
        "data",
        "search",
        "rules",
        "all conditions",
        "unlike the forest",
        "test error",
        "processor",
        "clock",
        "no worse than plain as printed",
        "than the best of plain",
    )
    yield from header(names, n_left=2)
    searches = (
        (PLAIN, "plain, as printed"),
        (MAP, "plain, MAP"),
        (RANDOM_MAP, "plain from random parameters, MAP"),
        (IMPROVED_MAP, "improved, MAP"),
        (AS_MANY, "improved, no more rules than plain"),
        (SERVED, f"improved, up to {MOST_RULES} rules"),
    )
    for dataset, own in draws.items():
        for who, name in searches:
            found = evaluated(own, who)
            cells = [dataset, name, shown_range(one.n_rules or 0 for one in found)]
            cells += [shown([sum(one.conditions) for one in found], 0) if found[0].conditions else ""]
            cells += [shown([one.unlike_forest for one in found], decimals(own)), _shown_error(own, who)]
            yield line([*cells, *_shown_seconds(found), _no_worse(own, who), _than_best(own, who)])


def frontier_table(draws: Draws) -> Iterator[str]:
    """Yield error and disagreement with the forest of the improved search by how many rules it may have."""
    limits = sorted(
        {one.who.limit for own in draws.values() for one in own[0].evaluated if one.who.name == SERVED.name}
    )
    yield from header(
        ("data", "", *(f"{limit} rules" for limit in limits), "plain, as printed", "plain, MAP"), n_left=2
    )
    for dataset, own in draws.items():
        improved = [Who("printed", "improved", limit) for limit in limits]
        for name, measure in (("test error", _error), ("unlike the forest", _unlike)):
            cells = [
                f"{_mean(evaluated(own, who), measure):.{decimals(own)}f}" if _has(own, who) else ""
                for who in (*improved, PLAIN, MAP)
            ]
            yield line([dataset, name, *cells])


def _no_worse(own: list[Draw], who: Who) -> str:
    """Say how an improved search compares with the rules that the plain one prints."""
    if who not in (AS_MANY, SERVED):
        return ""
    pairs = list(zip(evaluated(own, who), evaluated(own, PLAIN), strict=True))
    n_draws = sum(_is_no_worse([one], [other]) for one, other in pairs)
    is_no_worse = _is_no_worse(*map(list, zip(*pairs, strict=True)))
    is_no_slower = _mean(evaluated(own, who), _processor) <= _mean(evaluated(own, PLAIN), _processor)
    return f"{'yes' if is_no_worse and is_no_slower else '**no**'}; {n_draws} of {len(own)} draws"


def _is_no_worse(found: list[Evaluated], plain: list[Evaluated]) -> bool:
    """Compare error and fidelity; the number of rules is bounded already where that is requested."""
    return all(_mean(found, measure) <= _mean(plain, measure) for measure in (_error, _unlike))


def _than_best(own: list[Draw], who: Who) -> str:
    """Say how an improved search compares with the best result of the plain one, printed or not."""
    if who not in (AS_MANY, SERVED):
        return ""
    worse = []
    for name, measure in (("error", _error), ("unlike the forest", _unlike)):
        found, best = (
            _mean(evaluated(own, who), measure),
            min(_mean(evaluated(own, each), measure) for each in _OF_PLAIN),
        )
        if found > best:
            worse.append(f"{name} {found:.3f} against {best:.3f}")
    return f"**no**: {', '.join(worse)}" if worse else "yes"


def _processor(one: Evaluated) -> float:
    return one.seconds.of_processor if one.seconds else 0.0


def _is_short(served: Evaluated) -> bool:
    is_few = (served.n_rules or 0) <= MOST_RULES
    return is_few and median_conditions(served) <= MOST_MEDIAN and most_conditions(served) <= MOST_CONDITIONS


def _is_regression(own: list[Draw]) -> bool:
    return own[0].is_regression


def _has(own: list[Draw], who: Who) -> bool:
    return any(one.who == who for one in own[0].evaluated)


def _mean(found: list[Evaluated], measure: Callable[[Evaluated], float]) -> float:
    return float(np.mean([measure(one) for one in found]))


def _error(one: Evaluated) -> float:
    return one.error


def _unlike(one: Evaluated) -> float:
    return one.unlike_forest


def _shown_error(own: list[Draw], who: Who) -> str:
    return shown([one.error for one in evaluated(own, who)], decimals(own))


def _shown_medians(served: list[Evaluated]) -> str:
    medians = [median_conditions(one) for one in served]
    return f"{np.median(medians):g} (at most {max(medians):g})"


def _shown_seconds(found: list[Evaluated]) -> tuple[str, str]:
    seconds = [one.seconds for one in found if one.seconds is not None]
    if not seconds:
        return "", ""
    return shown_seconds([one.of_processor for one in seconds]), shown_seconds([one.of_clock for one in seconds])
