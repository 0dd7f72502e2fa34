"""The paper's tables and figures beside ours, in Markdown."""

from collections.abc import Iterator

import numpy as np

from .datasets import DATASETS
from .figures import header, line, n_decimals_of, shown, shown_range, shown_seconds
from .published import (
    ENERGY_RULES,
    NUMBERS_OF_RULES,
    RULES_OF_SHALLOW_TREE,
    Printed,
    figure_4,
    figure_5,
    rules_per_row,
    seconds,
)
from .reasons import Fewest, why_error, why_fab, why_rules_per_row, why_seconds
from .records import (
    BOXES,
    FOREST,
    MAP,
    MOST_RULES,
    PLAIN,
    RANDOM_MAP,
    SERVED,
    SHALLOW_TREE,
    SMALLER_MAP,
    Draw,
    Evaluated,
    Who,
)

Draws = dict[str, list[Draw]]  # by dataset


def table_2(draws: Draws) -> Iterator[str]:
    """Yield seconds a restart."""
    yield from header(
        (
            "data",
            "L",
            "restarts: FAB",
            "EM",
            "FAB: paper",
            "ours",
            "EM: paper",
            "ours",
            "EM / FAB: paper",
            "ours",
            "why",
        )
    )
    for dataset, own in draws.items():
        fab, em = (_restart_seconds(own, method) for method in ("fab", "em"))
        printed_fab, printed_em = seconds("fab", dataset), seconds("em", dataset)
        cells = [dataset, shown([draw.n_statements for draw in own], 0)]
        cells += [str(len(own[0].restart_seconds[method])) for method in ("fab", "em")]
        cells += [_printed(printed_fab), shown_seconds(fab), _printed(printed_em), shown_seconds(em)]
        cells += [f"{printed_em.mean / printed_fab.mean:.1f}", f"{np.mean(em) / np.mean(fab):.1f}"]
        yield line([*cells, why_seconds(printed_fab, float(np.mean(fab)))])


def table_3(draws: Draws) -> Iterator[str]:
    """Yield the mean number of rules that cover a test row."""
    names = ("data", "proposed: paper", "its boxes, ours", "plain, as printed", "improved, as printed")
    yield from header((*names, "inTrees: paper", "Node Harvest: paper", "why"))
    for dataset, own in draws.items():
        printed = rules_per_row("proposed", dataset)
        found = [_rules_per_row(own, who) for who in (BOXES, PLAIN, SERVED)]
        others = [rules_per_row(method, dataset) for method in ("inTrees", "Node Harvest")]
        n_regions = float(np.median(_n_rules(own, MAP)))
        cells = [dataset, _printed(printed), *(shown(figures, 2) for figures in found), *map(_printed, others)]
        yield line([*cells, why_rules_per_row(dataset, printed, float(np.mean(found[0])), n_regions)])


def table_4(draws: Draws) -> Iterator[str]:
    """Yield rules of the Energy data."""
    yield "Paper:\n"
    yield from (f"- {rule.text}: **{rule.prediction}**" for rule in ENERGY_RULES)
    for name, rules in draws["energy"][0].rules.items():
        yield f"\nOurs, {name}, first draw:\n"
        yield from (f"{at}. {rule}" for at, rule in enumerate(rules, 1))


def figure_4_table(draws: Draws) -> Iterator[str]:
    """Yield test errors of EM for each number of regions, and of FAB, both by MAP."""
    numbers = range(1, MOST_RULES + 1)
    yield from header(("data", "paper's axis", *(f"EM {number}" for number in numbers), "FAB", "its regions", "why"))
    for dataset, own in draws.items():
        axis, fab, n_decimals = figure_4(dataset), _errors(own, MAP), decimals(own)
        means = [float(np.mean(_errors(own, Who("em", "", number)))) for number in numbers]
        cells = [dataset, f"{axis.lowest:g} to {axis.highest:g}", *(f"{mean:.{n_decimals}f}" for mean in means)]
        cells += [shown(fab, n_decimals), shown_range(_n_rules(own, MAP))]
        price = np.mean([draw.n_statements for draw in own]) / 2  # but for a handful of other parameters
        best = int(np.argmin(means))
        kept = float(np.median(_n_rules(own, MAP)))
        yield line([*cells, why_fab(Fewest(means[best], numbers[best], float(np.mean(fab)), kept, float(price)))])


_ABOVE = {
    BOXES: "a row outside every box gets the default, where MAP still knows which region is nearest",
    PLAIN: "the same boxes, shortened to at most 8 conditions",
    RANDOM_MAP: "fewer restarts than MAP above, from the same forest",
}


def figure_5_table(draws: Draws) -> Iterator[str]:
    """Yield number of rules and test error of each predictor."""
    yield from header(
        ("data", "predictor", "rules: paper", "ours", "test error: paper's axis", "ours", "why"), n_left=2
    )
    predictors = (
        (MAP, "plain, MAP", NUMBERS_OF_RULES),
        (RANDOM_MAP, "plain from random parameters, MAP", NUMBERS_OF_RULES),
        (BOXES, "its boxes", NUMBERS_OF_RULES),
        (PLAIN, "plain, as printed", NUMBERS_OF_RULES),
        (SERVED, "improved, as printed", NUMBERS_OF_RULES),
        (SHALLOW_TREE, "depth-2 tree", RULES_OF_SHALLOW_TREE),
        (FOREST, "forest", ""),
    )
    for dataset, own in draws.items():
        axis = figure_5(dataset)
        for who, name, printed_rules in predictors:
            errors = _errors(own, who)
            cells = [dataset, name, printed_rules, shown_range(_n_rules(own, who))]
            cells += [f"{axis.lowest:g} to {axis.highest:g}", shown(errors, decimals(own))]
            of_smaller = float(np.mean(_errors(own, SMALLER_MAP))) if who == MAP else None
            yield line([*cells, why_error(dataset, float(np.mean(errors)), axis, of_smaller, _ABOVE.get(who, ""))])


def decimals(own: list[Draw]) -> int:
    """Return how many decimals an error of this dataset is shown with."""
    return max(2, min(3, n_decimals_of(own[0].of(FOREST).error)))


def evaluated(own: list[Draw], who: Who) -> list[Evaluated]:
    """Return a predictor on every draw."""
    return [draw.of(who) for draw in own]


def by_dataset(draws: list[Draw]) -> Draws:
    """Put the draws of a dataset together."""
    return {dataset: [draw for draw in draws if draw.dataset == dataset] for dataset in DATASETS}


def _errors(own: list[Draw], who: Who) -> list[float]:
    return [one.error for one in evaluated(own, who)]


def _n_rules(own: list[Draw], who: Who) -> list[int]:
    return [one.n_rules for one in evaluated(own, who) if one.n_rules is not None]


def _rules_per_row(own: list[Draw], who: Who) -> list[float]:
    return [one.rules_per_row for one in evaluated(own, who) if one.rules_per_row is not None]


def _restart_seconds(own: list[Draw], method: str) -> list[float]:
    return [figure for draw in own for figure in draw.restart_seconds[method]]


def _printed(printed: Printed) -> str:
    return f"{printed.mean:g} ± {printed.deviation:g}"
