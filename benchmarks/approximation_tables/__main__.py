"""Zhou & Hooker (2016), section 4, and the trees in Hara & Hayashi (2018), figure 5, done again.

``python -m benchmarks.approximation_tables [--quick | --long FILE] [--json FILE] > FILE``
``python -m benchmarks.approximation_tables --make-long MINUTES`` makes trees from 1,000,000 pseudo rows, or goes on.
"""

import argparse
import json
from importlib.metadata import version
from pathlib import Path

from benchmarks.machine import describe_machine

from .long_study import make_trees, with_long_study
from .questionnaires import QUESTIONNAIRES
from .records import Found, as_json, from_json
from .rules import ruled
from .studies import SIMULATION, Sizes, mimicked, replicated
from .tables import mimicry_table, questionnaire_table, rules_table, structures_table

_COMMAND = "python -m benchmarks.approximation_tables"
_DIVORCE, _BFI = QUESTIONNAIRES
_QUICK = Sizes((1_000, 2_000), 2, {SIMULATION: {1_000: 3}, _DIVORCE: {1_000: 3}, _BFI: {1_000: 3}})
_USUAL = Sizes(
    (10_000, 100_000),
    5,
    {SIMULATION: {10_000: 20, 100_000: 20}, _DIVORCE: {10_000: 20, 100_000: 20}, _BFI: {10_000: 20, 100_000: 10}},
)
_MILLION = 1_000_000
_N_DRAWS, _N_DRAWS_QUICK = 5, 1
_JSON = "benchmarks/results/approximation_tables.json"
_LONG = "benchmarks/results/approximation_tables_long.jsonl"


def main() -> None:
    """Run everything and print the tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="few trees from few pseudo rows: to try the program")
    parser.add_argument(
        "--long", type=Path, help="the tables of what --json wrote, with all that --make-long has made so far"
    )
    parser.add_argument("--make-long", type=float, help="for how many minutes to make trees from 1,000,000 pseudo rows")
    parser.add_argument("--study", action="append", help="with --make-long: this study alone; may be repeated")
    parser.add_argument("--json", type=Path, help="where to write every figure")
    parser.add_argument("--tables-of", type=Path, help="run nothing: print the tables of what --json wrote")
    arguments = parser.parse_args()
    if arguments.make_long is not None:
        make_trees(Path(_LONG), arguments.make_long, tuple(arguments.study or (SIMULATION, *QUESTIONNAIRES)))
        return
    found = _found(arguments)
    if arguments.json:
        arguments.json.write_text(_text(found), encoding="utf-8")
    print("# One tree that approximates a forest: two papers' experiments done again", _about(found), sep="\n\n")
    for title, text, table in _SECTIONS:
        print(f"\n## {title}\n\n{text}\n", *table(found), sep="\n")


def _found(arguments: argparse.Namespace) -> Found:
    if arguments.tables_of:
        return _read(arguments.tables_of)
    if arguments.long:
        return with_long_study(_read(arguments.long), Path(_LONG))
    return _run(_QUICK if arguments.quick else _USUAL, _N_DRAWS_QUICK if arguments.quick else _N_DRAWS)


def _run(sizes: Sizes, n_draws: int) -> Found:
    list(mimicked(SIMULATION, Sizes((1_000,), 1, {})))  # compiles what is compiled, so that no time of it is measured
    studies = (SIMULATION, *QUESTIONNAIRES)
    return Found(
        tuple(one for study in studies for one in mimicked(study, sizes)),
        tuple(one for study in studies for one in replicated(study, sizes)),
        tuple(ruled(n_draws)),
    )


def _read(path: Path) -> Found:
    return from_json(json.loads(path.read_text(encoding="utf-8")))


def _text(found: Found) -> str:
    """Return JSON with one record a line."""
    kinds = (
        f"{json.dumps(kind)}: [\n" + ",\n".join(map(json.dumps, records)) + "\n]"
        for kind, records in as_json(found).items()
    )
    return "{\n" + ",\n".join(kinds) + "\n}\n"


def _about(found: Found) -> str:
    versions = ", ".join(f"{name} {version(name)}" for name in ("numba", "pandas", "skl2onnx"))
    made = f"Made by `{_COMMAND} --json {_JSON} > benchmarks/results/approximation_tables.md`"
    if any(one.who.n_pseudo == _MILLION for one in found.structures):
        made += f", and with 1,000,000 pseudo rows by `{_COMMAND} --make-long MINUTES` and `--long {_JSON}`"
    return f"{made}; the latest of it on {describe_machine()}, {versions}.\n\n{_EXPERIMENT}"


_EXPERIMENT = """\
Zhou, Hooker (2016), "Interpreting Models via Single Tree Approximation", section 4; and the trees among what Hara,
Hayashi (2018), "Making Tree Ensembles Interpretable", compare in figure 5. Forests: 100 trees of scikit-learn with the
defaults of R's randomForest, exported to ONNX and run as the service runs them. N_ps: the most pseudo rows of a node
(STA), or the pseudo rows of the whole tree (CART, born again). Trees have at most 4 splits on a path: the paper's five
layers, the root included. Significance 0.1; at least 5 training rows in a leaf; bandwidth 0.1 standard deviations.
Figures are mean ± standard deviation. Seconds are by the clock, on a machine that may have done other work."""
_FIGURES_1_2 = """\
Each repetition draws 1,000 training and 10,000 new rows by section 4.1, fits a forest, and a CART of the same depth on
the training rows. Agreement: share of new rows with the forest's class. L1: sum over both classes of the difference of
the probabilities, mean over new rows (the paper does not say whether it adds up both; half of it is the difference of
one). The paper prints figures; what its text says is shown."""
_FIGURE_3 = """\
One forest; trees that differ in nothing but their pseudo rows. A tree is different from another where one of its
questions is, in the feature or in the threshold (by features alone: whatever the threshold), down to a level of
questions; commonest: how often the most frequent tree of four levels occurs; unsure at the cap: share of the questions
whose p-values sum to more than 0.1 with all pseudo rows that are allowed. The paper makes 100 trees; `made` says
how many there are here. CART on pseudo rows sets its thresholds between pseudo rows, so hardly two trees are alike; among STA's
candidates it can only take values and midpoints of the training rows. The paper's numbers can only be drawn from its
text; for its questionnaire it says that 92 of 100 trees are alike down to the fourth level, and counts 10 different
ones in its figure 5.

The authors' published program, which may have made the paper's figures, differs from its text: it compares the best
with five candidates only, leaves out the factor 2 of (4), keeps the variance from 10,000 pseudo rows on, and clamps
pseudo rows to the border of a node. STA compares all candidates: of a continuous feature about 2,000 at the root, next
to each other. The lines "by the rules of the published program" do what that program does; its five are taken to be
those of the largest gains."""
_FIGURE_4 = """\
CAT-MDD is private: `divorce_questionnaire` (170 persons, 54 items) and `bfi_questionnaire` (2,800 persons, 25 items, of
which some answers are missing) stand in. Each repetition divides the persons again, 7 to 3, and fits a forest to the
larger part; the smaller part is the test set. Questions: mean number put to a person, against the number of items."""
_FIGURE_5 = """\
Draws, forests and the lines of printed rules, of the depth-2 tree on training rows and of the forest are those of
`defrag_tables.md` (same seeds). Leaves are rules. Errors are shares of wrong classes, for energy the mean squared
error; the paper prints a figure, of which only the axis can be read. Born again: at most depth 10, chosen by five-fold
cross-validation, as in the paper (from 2, 3, 4, 6, 8, 10 there), on 50,000 pseudo rows, as CART; STA with
N_ps = 10,000. Seconds are those of making the tree, the forest's answers included."""
_SECTIONS = (
    ("Figures 1 and 2: accuracy and mimicry, simulated", _FIGURES_1_2, mimicry_table),
    ("Figures 3 and 5: different trees for one forest", _FIGURE_3, structures_table),
    ("Figure 4: questionnaires", _FIGURE_4, questionnaire_table),
    ("Hara & Hayashi, figure 5: rules against error", _FIGURE_5, rules_table),
)

if __name__ == "__main__":
    main()
