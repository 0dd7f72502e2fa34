"""What is grown: datasets, languages and settings of trees."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from itertools import product

from schemas.relational_forests import RelationalForestRequest
from tests.support import relational_data
from tests.support.raw_tables import RawTables
from tree_explainers.relational.language import Language, TableLanguage
from tree_explainers.relational.tilde_trees import Criterion, TildeSettings

# As in the data's own language: an atom is introduced with its element and a bond with its type, conditions on them
# come later; bonds may introduce the other atom.
_INTRODUCED = {
    "atom": TableLanguage(bare=False, introduced_with=("element",)),
    "bond": TableLanguage(bare=False, introduced_with=("type",)),
}


_PAPER = RelationalForestRequest(relational_dataset="", settings="paper")
_PAPER_SHARE = _PAPER.test_share
_PAPER_TREE = TildeSettings(
    _PAPER.criterion, _PAPER.min_samples_leaf, pruning=_PAPER.pruning, aggregates=_PAPER.aggregates
)


@dataclass(frozen=True)
class Study:
    """One dataset and how trees are grown on it; each tree is kept pruned and unpruned."""

    title: str
    load: Callable[[], RawTables]
    tree: TildeSettings
    share: float = _PAPER_SHARE  # of the tests of a node, that FORF keeps
    draws_again: bool = False  # whether FORF keeps others where none of these gains; see ``sampling.py``


def carcinogenesis(
    criterion: Criterion, *, bins: bool, look_ahead: bool, share: float = _PAPER_SHARE, draws_again: bool = False
) -> Study:
    """Return the paper's own study under one of its possible readings."""
    language = Language(max_variables=3, tables={} if look_ahead else _INTRODUCED)
    tree = replace(_PAPER_TREE, criterion=criterion, look_ahead=look_ahead, language=language)
    words = (
        criterion.replace("_", " "),
        "charges in five bins" if bins else "all cuts of charges",
        "look-ahead" if look_ahead else "no look-ahead",
        *(("FORF samples again until a test gains",) if draws_again else ()),
        *(() if share == _PAPER_SHARE else (f"FORF keeps {share}",)),
    )
    load = relational_data.canc if bins else relational_data.carcinogenesis
    return Study("carcinogenesis: " + ", ".join(words), load, tree, share, draws_again)


def readings() -> list[Study]:
    """Return all readings of what the paper does not say; pruned or not is in each."""
    criteria: tuple[Criterion, ...] = ("gain", "gain_ratio")
    return [
        carcinogenesis(criterion, bins=bins, look_ahead=look_ahead)
        for look_ahead, bins, criterion in product((False, True), (True, False), criteria)
    ]


def trains() -> Study:
    """Return trains of Muggleton's generator with a concept of our own."""
    tree = replace(_PAPER_TREE, language=Language(max_variables=3))
    return Study("trains: gain, look-ahead", partial(relational_data.trains, 400, noise=0.2), tree)


def mutagenesis(*, aggregates: bool) -> Study:
    """Return mutagenesis with `lumo` and `logp`, with look-ahead."""
    tree = replace(_PAPER_TREE, aggregates=aggregates, language=Language(max_variables=3))
    return Study(
        "mutagenesis: gain, look-ahead" + (", aggregates" if aggregates else ""), relational_data.mutagenesis, tree
    )


def forf_of(study: Study) -> TildeSettings:
    """Return the settings of FORF's trees."""
    return replace(study.tree, test_share=study.share)
