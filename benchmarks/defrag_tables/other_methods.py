"""The paper's other baselines on the same draws: inTrees, Node Harvest and a tree of depth two, as rule sets have them.

They do not depend on how regions are fitted or rules are searched, and stand in a file of their own, from which the
tables of ``__main__`` take their columns.
``python -m benchmarks.defrag_tables.other_methods [--draws N] --json FILE > FILE``
"""

import argparse
import json
import sys
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.machine import describe_machine
from tree_explainers.questions.binned_rows import BinnedRows
from tree_explainers.questions.conditions import TrainingValues, rule_text
from tree_explainers.rule_sets.decision_tree import tree_rules
from tree_explainers.rule_sets.in_trees import InTreesSettings, in_trees_rules
from tree_explainers.rule_sets.node_harvest import NodeHarvestSettings, harvest
from tree_explainers.rule_sets.rule_lists import PrintedRules, RuleList, first_firing, print_rules
from tree_explainers.rule_sets.tree_paths import TreePaths
from tree_explainers.rule_sets.weighted_rules import WeightedRules

from .datasets import DATASETS, realisation
from .evaluation_case import EvaluationCase
from .figures import header, line, shown, shown_range
from .published import figure_5, rules_per_row
from .records import (
    DECISION_TREE,
    FOREST,
    IN_TREES,
    NODE_HARVEST,
    SELECTED_IN_TREES,
    Draw,
    Evaluated,
    Seconds,
    Who,
    as_json,
    draw_from_json,
)

_FIRST_SEED, _N_DRAWS = 100, 10  # as in ``runs``
_RULES_SHOWN = 4  # of each method, in table 4
_COMMAND = "python -m benchmarks.defrag_tables.other_methods --json benchmarks/results/defrag_other_methods.json"
_METHODS = (IN_TREES, SELECTED_IN_TREES, NODE_HARVEST, DECISION_TREE)
_LISTS = (IN_TREES, SELECTED_IN_TREES)
_NUMBERS = {IN_TREES: "around 30 to 100", NODE_HARVEST: "around 30 to 100", DECISION_TREE: "4"}  # the paper's text
_SETTINGS: dict[Who, InTreesSettings | NodeHarvestSettings] = {
    IN_TREES: InTreesSettings(selection="none"),
    SELECTED_IN_TREES: InTreesSettings(),
    NODE_HARVEST: NodeHarvestSettings(),
}
# Table 4 of the paper: four of the rules that each method found, and how many it found in all.
_ENERGY = {
    IN_TREES: (
        "23 rules, among them",
        "RelativeCompactness >= 0.65, OverallHeight < 5.25, GlazingArea < 0.33: **12.58**",
        "RelativeCompactness >= 0.75, SurfaceArea >= 624.75, GlazingAreaDistribution >= 0.50: **33.20**",
        "RelativeCompactness >= 0.84, GlazingArea >= 0.33: **33.20**",
        "673.75 <= SurfaceArea < 796.25, WallArea >= 306.25, GlazingArea >= 0.17: **23.61**",
    ),
    NODE_HARVEST: (
        "10 rules, among them",
        "SurfaceArea >= 674.00, GlazingArea >= 0.17: **14.53**",
        "RelativeCompactness >= 0.81, SurfaceArea < 674.00: **28.17**",
        "RelativeCompactness < 0.81, SurfaceArea < 674.00: **37.38**",
        "SurfaceArea >= 674.00, GlazingArea < 0.17: **11.21**",
    ),
    DECISION_TREE: (
        "4 rules",
        "SurfaceArea >= 673.75, GlazingArea < 0.17: **11.21**",
        "SurfaceArea >= 673.75, GlazingArea >= 0.17: **14.53**",
        "SurfaceArea < 624.75: **28.17**",
        "624.75 <= SurfaceArea < 673.75: **37.38**",
    ),
}


def main() -> None:
    """Run everything and print the tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--draws", type=int, default=_N_DRAWS, help="of each dataset")
    parser.add_argument("--json", type=Path, help="where to write every draw")
    parser.add_argument("--tables-of", type=Path, help="run nothing: print the tables of what --json wrote")
    arguments = parser.parse_args()
    if arguments.tables_of:
        found = [draw_from_json(each) for each in json.loads(arguments.tables_of.read_text(encoding="utf-8"))]
    else:
        found = list(other_draws(arguments.draws))
    if arguments.json:
        lines = ",\n".join(json.dumps(as_json(draw)) for draw in found)
        arguments.json.write_text(f"[\n{lines}\n]\n", encoding="utf-8")
    print(*_page(found), sep="\n")


def other_draws(n_draws: int) -> Iterator[Draw]:
    """Yield a number of draws of each dataset, with the three methods."""
    _draw("energy", 0)  # compiles what is compiled, so that no time of it is measured
    for dataset in DATASETS:
        for seed in range(_FIRST_SEED, _FIRST_SEED + n_draws):
            begun = time.perf_counter()
            yield _draw(dataset, seed)
            print(f"{dataset} draw {seed}: {time.perf_counter() - begun:.0f} s", file=sys.stderr, flush=True)


def _draw(dataset: str, seed: int) -> Draw:
    drawn = realisation(dataset, seed)
    case = EvaluationCase.of(drawn)
    found = {who: _evaluated(case, who) for who in _METHODS}
    return Draw(
        dataset,
        seed,
        drawn.is_regression,
        case.train.statements.n_statements,
        restart_seconds={},
        evaluated=(case.evaluate(FOREST, case.forest_predictions), *(one for one, _ in found.values())),
        rules={who.name: texts for who, (_, texts) in found.items() if dataset == "energy"},
    )


def _evaluated(case: EvaluationCase, who: Who) -> tuple[Evaluated, tuple[str, ...]]:
    """Evaluate a method's printed rules on raw test rows; a default that some row may get counts as a rule."""
    begun = (time.process_time(), time.perf_counter())
    rules, binned, weighted = rules_by(case, who)
    seconds = Seconds(time.process_time() - begun[0], time.perf_counter() - begun[1])
    drawn = case.realisation
    printed = print_rules(rules, TrainingValues(drawn.rows(drawn.train), binned))
    fires = printed.fires(drawn.rows(drawn.test))
    predicted: NDArray[Any] = rules.predictions[first_firing(fires)] if weighted is None else weighted.predict(fires)
    one = case.evaluate(who, predicted, rules.n_rules + int(who in _LISTS))
    one = replace(
        one,
        rules_per_row=float(fires.sum(axis=1).mean()) + int(who in _LISTS),
        conditions=tuple(len(rule) for rule in printed.rules),
        seconds=seconds,
    )
    return one, _texts(printed, rules, weighted)


def rules_by(case: EvaluationCase, who: Who) -> tuple[RuleList, BinnedRows, WeightedRules | None]:
    """Return a method's rules, the rows by which they are printed, and the weights where rules have any."""
    drawn, read = case.realisation, case.forest.read
    if who == DECISION_TREE:
        return *tree_rules(drawn.rows(drawn.train), case.targets, read.description), None
    settings = _SETTINGS[who]
    paths = TreePaths.of(read.ensemble, read.description, case.train.statements, settings.max_depth)
    if isinstance(settings, NodeHarvestSettings):
        weighted = harvest(paths, case.train, case.targets, settings)
        return weighted.as_list(), case.train, weighted
    rng = np.random.default_rng([drawn.seed, 3])
    return in_trees_rules(paths, case.train, case.targets, settings, rng), case.train, None


def _texts(printed: PrintedRules, rules: RuleList, weighted: WeightedRules | None) -> tuple[str, ...]:
    """Return the rules with what they predict, and their weights where they have any."""
    texts = [rule_text(conditions) for conditions in printed.rules]
    if weighted is not None:
        triples = zip(texts, rules.predictions, weighted.weights, strict=False)
        return tuple(f"{text}: **{value:.2f}**, weight {weight:.3f}" for text, value, weight in triples)
    return tuple(
        f"{text}: **{value:.2f}**" for text, value in zip([*texts, "otherwise"], rules.predictions, strict=True)
    )


def _page(found: list[Draw]) -> Iterator[str]:
    n_draws = len({draw.seed for draw in found})
    command = _COMMAND if n_draws == _N_DRAWS else f"{_COMMAND} --draws {n_draws}"
    yield "# inTrees, Node Harvest and DTree2 on the draws of the paper's experiments"
    yield f"\nMade by `{command} > benchmarks/results/defrag_other_methods.md` on {describe_machine()}.\n\n{_ABOUT}\n"
    draws = {dataset: [draw for draw in found if draw.dataset == dataset] for dataset in DATASETS}
    yield "\n## Figure 5 and table 3: number of rules, test error, and rules that cover a test row\n"
    names = ("data", "method", "rules: paper", "ours", "test error: paper's axis", "ours", "unlike the forest")
    yield from header((*names, "rules a row: paper", "ours", "seconds"), n_left=2)
    for dataset, own in draws.items():
        for who in (*_METHODS, FOREST):
            yield line(_cells(dataset, own, who))
    yield "\n## Table 4: rules of the Energy data\n"
    for who, (how_many, *theirs) in _ENERGY.items():
        ours = draws["energy"][0].rules[who.name]
        if who == DECISION_TREE:
            ours = ours[:-1]  # its leaves leave nothing to the default
        yield f"\n{who.name}, paper, {how_many}:\n"
        yield from (f"- {each}" for each in theirs)
        shown_of = "" if len(ours) <= _RULES_SHOWN + 1 else f", the first {_RULES_SHOWN}"
        yield f"\n{who.name}, ours, first draw, {len(ours)} rules{shown_of}:\n"
        yield from (f"{at}. {each}" for at, each in enumerate(ours[:_RULES_SHOWN], 1))


def _cells(dataset: str, own: list[Draw], who: Who) -> list[str]:
    ones = [draw.of(who) for draw in own]
    axis, n_decimals = figure_5(dataset), 2 if own[0].is_regression else 3
    cells = [dataset, who.name, _NUMBERS.get(who, ""), shown_range([one.n_rules for one in ones if one.n_rules])]
    cells += [f"{axis.lowest:g} to {axis.highest:g}", shown([one.error for one in ones], n_decimals)]
    if who == FOREST:
        return [*cells, "", "", "", ""]
    cells.append(shown([one.unlike_forest for one in ones], n_decimals))
    cells += [_paper_rules_per_row(dataset, who), shown([one.rules_per_row or 0.0 for one in ones], 2)]
    return [*cells, f"{np.mean([one.seconds.of_processor for one in ones if one.seconds]):.2g}"]


def _paper_rules_per_row(dataset: str, who: Who) -> str:
    if who not in (IN_TREES, NODE_HARVEST):
        return "1" if who == DECISION_TREE else ""
    printed = rules_per_row(who.name, dataset)
    return f"{printed.mean:g} ± {printed.deviation:g}"


_ABOUT = """\
Draws, forests and measures are those of `defrag_tables.md`: rules predict the true classes or values of the training
rows. inTrees and Node Harvest have the defaults of their authors' R programs, as in the paper: 6 splits on a path,
decay of 0.05 (a share of the rule's rows; in Deng's paper, and with `settings: "paper"`, relative to the error of the
path), at least 1 % of rows a rule, 3 levels of values; nodes of depth 2 at most, 1,000 at most, of 10 rows at
least. The paper does not say whether it let inTrees' regularised forest select rules; the numbers of rules and of rules
that cover a row, 23 rules of the Energy data among them, are those without it, so that "inTrees" is without, and the
other row is with it, which is the default of rule sets. Node Harvest takes its nodes from the forest that is explained,
where the program grows trees of its own. A rule that the regularised forest has not used loses a part of its gain, as
the paper of that forest says; the program multiplies the purity of both sides instead, from which the gain is only then
subtracted. inTrees' default counts as a rule, which covers every row; the node of all rows is one of Node Harvest's.
Seconds are of processor time, from binned rows to rules."""

if __name__ == "__main__":
    main()
