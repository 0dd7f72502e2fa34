"""Hara & Hayashi (2018) done again, and what printed rules are worth.

Forests, and what does not depend on how rules are searched, are kept in a folder of the system's temporary directory,
so that a second run is shorter.
``python -m benchmarks.defrag_tables [--quick] [--json FILE] > FILE``
"""

import argparse
import json
from importlib.metadata import version
from pathlib import Path

from benchmarks.machine import describe_machine

from .paper_tables import by_dataset, figure_4_table, figure_5_table, table_2, table_3, table_4
from .printed_tables import frontier_table, map_table, search_table
from .records import Draw, as_json, draw_from_json
from .runs import draws

_N_DRAWS, _N_EM_RESTARTS, _N_EM_RESTARTS_QUICK = 10, 5, 2
_COMMAND = "python -m benchmarks.defrag_tables --json benchmarks/results/defrag_tables.json"


def main() -> None:
    """Run everything and print the tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="one draw of each dataset, fewer restarts of EM")
    parser.add_argument("--json", type=Path, help="where to write every draw")
    parser.add_argument("--tables-of", type=Path, help="run nothing: print the tables of what --json wrote")
    arguments = parser.parse_args()
    n_draws, n_em_restarts = (1, _N_EM_RESTARTS_QUICK) if arguments.quick else (_N_DRAWS, _N_EM_RESTARTS)
    found = _read(arguments.tables_of) if arguments.tables_of else list(draws(n_draws, n_em_restarts))
    if arguments.json:
        lines = ",\n".join(json.dumps(as_json(draw)) for draw in found)
        arguments.json.write_text(f"[\n{lines}\n]\n", encoding="utf-8")
    print(
        "# A forest approximated by a few rules: the paper's experiments done again",
        _about(is_quick=arguments.quick),
        sep="\n\n",
    )
    for title, text, table in _SECTIONS:
        print(f"\n## {title}\n\n{text}\n", *table(by_dataset(found)), sep="\n")


def _read(path: Path) -> list[Draw]:
    return [draw_from_json(each) for each in json.loads(path.read_text(encoding="utf-8"))]


def _about(*, is_quick: bool) -> str:
    command = f"{_COMMAND} --quick" if is_quick else _COMMAND
    versions = ", ".join(f"{name} {version(name)}" for name in ("numba", "pandas", "skl2onnx"))
    made = f"Made by `{command} > benchmarks/results/defrag_tables.md` on {describe_machine()}, {versions}."
    return f"{made}\n\n{_EXPERIMENT}"


_EXPERIMENT = """\
Hara, Hayashi (2018), "Making Tree Ensembles Interpretable: A Bayesian Model Selection Approach", section 7. A draw is a
random division, seeds from 100 (what the searches weigh was chosen on draws 0 to 9 of the same datasets), into as many
training as test rows: 1,000 of Synthetic1, Synthetic2 and Spambase, 5,000 of Higgs (out of 10,984, so that draws
overlap; in the paper out of 11 million) and of MiniBooNE, 384 of Energy (its heating load). MiniBooNE could not be had:
MAGIC gamma stands in, with 10 features instead of 50. Figures are mean ± standard deviation over draws. An error is the
share of wrong classes among test rows; for Energy it is the mean squared error.

Forests: 100 trees of scikit-learn with the defaults of R's randomForest (mtry sqrt(p), for Energy p/3; nodesize 1, for
Energy 5: no node of five rows or fewer is split), exported to ONNX and read as the service reads them. The paper names
randomForest and no settings. Rules are made for the true classes of the training rows, as in the paper; K_max 10; 20
restarts, for Energy 200 (as in the authors' program), which begin with random responsibilities, from which parameters
follow, and not as the paper's algorithm 1, which draws all of them: `defrag_starts.md` compares these. Rules are
counted with their default; regions have none."""
_TABLE_2 = """\
A restart of EM fits K = 1, 2, ..., 10. L: different statements. Two restarts run at a time, one on each core, on a
machine that did other work meanwhile, measured when the fits were made (they are kept): compare ratios."""
_FIGURE_4 = """\
The paper prints a figure: of it, the first and last mark of the axis of errors are shown, as no point can be read. Of
all restarts of EM the one with the least training error counts. All errors are those of the two-step MAP prediction."""
_FIGURE_5 = """\
Again only the axis can be read; the numbers of rules are those of the paper's text. inTrees, Node Harvest and DTree2 by
this project's methods stand in `defrag_other_methods.md`, from the same draws. BATrees are here as the approximation
trees of method `born_again`, and stand beside the same figure in `approximation_tables.md`. "Its boxes" are the
regions' boxes as they are, the first that covers a row predicts: what the paper prints in table 4 and counts in table
3. "From random parameters": the same inference begun as the paper's text says, with eta drawn uniformly from 0 to 1,
instead of random responsibilities; the best of as many restarts as EM has."""
_TABLE_3 = """\
The paper's ideal is one. The printed rules of this project are a list of which the first that covers a row decides:
more than one may cover it without contradiction, and a row that none covers gets the default."""
_TABLE_4 = """\
Rules of this project are evaluated from the first to the last."""
_MAP = """\
Printed rules predict by themselves, which is what is served. Met: their test error, on average over draws, is at most
0.01 above that of the plain search's MAP, the best of all restarts by training error (Energy: at most 5 % above); and
in every draw there are at most 10 rules, of at most 4 conditions in the median and 8 at most."""
_SEARCH = """\
"No worse": neither the test error nor the disagreement with the forest (share of rows given another class; for Energy
the mean squared difference) is greater than that of the rules that the plain search prints, nor its processor time; in
as many draws, time aside. "The best of plain": the least of each measure among its printed rules, its boxes and its
MAP, which is not printed. Seconds are from binned rows to rules, restarts included: of processor, both cores together,
and by the clock."""
_FRONTIER = """\
The improved search where it may have fewer rules; means over draws."""
_SECTIONS = (
    ("Table 2: seconds for one restart", _TABLE_2, table_2),
    ("Figure 4: test error of EM for each number of regions, and of FAB", _FIGURE_4, figure_4_table),
    ("Figure 5: number of rules and test error", _FIGURE_5, figure_5_table),
    ("Table 3: mean number of rules that cover a test row", _TABLE_3, table_3),
    ("Table 4: rules of the Energy data", _TABLE_4, table_4),
    ("What is printed is what predicts", _MAP, map_table),
    ("The plain and the improved search", _SEARCH, search_table),
    ("The frontier: fewer rules", _FRONTIER, frontier_table),
)

if __name__ == "__main__":
    main()
