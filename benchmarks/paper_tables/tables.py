"""The two tables in Markdown: paper, ours, difference, and why where it is large."""

from collections import defaultdict
from collections.abc import Iterator

import numpy as np

from .apete_data import STAND_IN
from .published import APETE_DATASETS, APETE_METHODS, TAN_DATASETS, TAN_METHODS, Printed, apete, tan
from .reasons import Compared, why
from .runs import APETE_ALPHAS, RHC_TARGETS, Cell, Run
from .spread import Divisions, Spread, pooled_deviation
from .tan_data import STAND_INS

_MODELS = {
    "random_forest": "RF",
    "boosting_line_search": "GBT, line search",
    "boosting_authors": "GBT, authors' program",
    "boosting": "GBT, a step for each leaf",
}
_MODELS_BY_TARGET = ("random_forest", "boosting")
Many = dict[tuple[str, str, str], Divisions]  # by dataset, model and method
Runs = dict[Cell, list[Run]]  # by cell, whose own seed is -1: the runs of all seeds


def by_cell(runs: list[Run]) -> Runs:
    """Put the runs of different seeds together."""
    together: Runs = defaultdict(list)
    for run in runs:
        together[run.cell._replace(seed=-1)].append(run)
    return dict(together)


def tan_table(runs: Runs, many: Many) -> Iterator[str]:
    """Yield Tan et al., table 1, rows RF and GBT: balanced accuracy."""
    for dataset in TAN_DATASETS:
        about = f"stand-in: {STAND_INS[dataset]}; " if dataset in STAND_INS else ""
        yield f"\n### {dataset} ({about}{_n_divisions(runs, dataset)})"
        yield "\n| model | method | paper | ours | difference | prototypes: paper | ours | unassigned | why |"
        yield "|---|---|---:|---:|---:|---:|---:|---:|---|"
        for model, short in _MODELS.items():
            for method in TAN_METHODS:
                cell = Cell("tan", dataset, model, method, -1, _tan_choice(method))
                if cell in runs:
                    yield f"| {short} | {method} | " + " | ".join(_tan_cells(runs, cell, many)) + " |"


def boosting_table(runs: Runs) -> Iterator[str]:
    """Yield how far each kind of boosting is from Tan et al., table 1: the mean over the methods of a dataset."""
    kinds = [model for model in _MODELS if model.startswith("boosting")]
    originals = {kind: [Cell("tan", dataset, kind, "original", -1, "") for dataset in TAN_DATASETS] for kind in kinds}
    models = [kind for kind in kinds if all(cell in runs for cell in originals[kind])]
    yield "| dataset | " + " | ".join(_MODELS[model] for model in models) + " |"
    yield "|---|" + "---:|" * len(models)
    distances = [[_mean_distance(runs, dataset, model) for model in models] for dataset in TAN_DATASETS]
    own = [line for dataset, line in zip(TAN_DATASETS, distances, strict=True) if dataset not in STAND_INS]
    for name, line in (
        *zip(TAN_DATASETS, distances, strict=True),
        ("mean", np.mean(distances, axis=0)),
        ("mean without stand-ins", np.mean(own, axis=0)),
    ):
        yield f"| {name} | " + " | ".join(f"{far:.3f}" for far in line) + " |"


def target_table(runs: Runs) -> Iterator[str]:
    """Yield balanced accuracies for each column of rhc that may have been Tan et al.'s target."""
    yield "| model | method | paper | " + " | ".join(RHC_TARGETS) + " |"
    yield "|---|---|---:|" + "---:|" * len(RHC_TARGETS)
    distances = []
    for model in _MODELS_BY_TARGET:
        for method in TAN_METHODS:
            printed = tan("rhc", model, method).score
            cells = [Cell("tan", f"rhc, {target}", model, method, -1, _tan_choice(method)) for target in RHC_TARGETS]
            found = [_balanced(runs[cell]) for cell in cells]
            distances.append([abs(one.mean - printed) for one in found])
            yield f"| {_MODELS[model]} | {method} | {printed:.2f} | " + " | ".join(map(str, found)) + " |"
    yield "| | mean distance | | " + " | ".join(f"{far:.3f}" for far in np.mean(distances, axis=0)) + " |"


def apete_table(runs: Runs) -> Iterator[str]:
    """Yield A-PETE, table 2: plain accuracy."""
    yield (
        "| data | method | paper | ours | difference | prototypes: paper | ours | ours at the paper's number | "
        "the same, ties to the lower class | fidelity | unassigned | why |"
    )
    yield "|---|---|" + "---:|" * 9 + "---|"
    for dataset in APETE_DATASETS:
        for method in APETE_METHODS:
            for chosen in _apete_choices(dataset, method):
                cell = Cell("a_pete", dataset, "random_forest", method, -1, chosen)
                name = f"{method}, {chosen}" if method == "a_pete" else method
                yield f"| {dataset} | {name} | " + " | ".join(_apete_cells(runs, cell)) + " |"


def _n_divisions(runs: Runs, dataset: str) -> str:
    """Return how many divisions a dataset has, and of which models there are fewer."""
    originals = {model: runs.get(Cell("tan", dataset, model, "original", -1, ""), []) for model in _MODELS}
    most = max(map(len, originals.values()))
    fewer = [f"{_MODELS[model]}: {len(own)}" for model, own in originals.items() if 0 < len(own) < most]
    return ", ".join([f"{most} divisions", *fewer])


def _mean_distance(runs: Runs, dataset: str, model: str) -> float:
    cells = [Cell("tan", dataset, model, method, -1, _tan_choice(method)) for method in TAN_METHODS]
    distances = [abs(_balanced(runs[cell]).mean - tan(dataset, model, cell.method).score) for cell in cells]
    return float(np.mean(distances))


def _tan_cells(runs: Runs, cell: Cell, many: Many) -> Iterator[str]:
    printed, own = tan(cell.dataset, cell.model, cell.method), runs[cell]
    found = _balanced(own)
    yield f"{printed.score:.2f}"
    yield str(found)
    yield f"{found.mean - printed.score:+.3f}"
    yield _printed_size(printed)
    yield _sizes(own)
    yield _unassigned(own)
    others = [_balanced(runs[cell._replace(method=method, chosen=_tan_choice(method))]) for method in TAN_METHODS]
    best = _balanced(runs[cell._replace(chosen="test")]) if cell.chosen else None
    done = "k that does best on the test rows"
    remark = "other rows than the paper's" if cell.dataset in STAND_INS else ""
    own_many = many.get((cell.dataset, cell.model, cell.method))
    yield why(Compared(printed.score, found, pooled_deviation(others), best, done, own_many), remark)


def _apete_cells(runs: Runs, cell: Cell) -> Iterator[str]:
    printed, own = apete(cell.dataset, cell.method), runs[cell]
    found = _accuracy(own)
    yield f"{printed.score:.2f}"
    yield str(found)
    yield f"{found.mean - printed.score:+.3f}"
    yield _printed_size(printed)
    yield _sizes(own)
    at_printed = cell._replace(chosen="paper") if cell.chosen == "valid" else cell
    alike = _accuracy(runs[at_printed._replace(ties="lower class")])
    yield str(_accuracy(runs[at_printed]))
    yield str(alike)
    yield f"{np.mean([run.scores.fidelity for run in own]):.3f}"
    yield _unassigned(own)
    compared = Compared(printed.score, found, found.deviation, alike, "the paper's number, ties to the lower class")
    yield why(compared, _apete_remark(cell))


def _apete_remark(cell: Cell) -> str:
    """Name data that stand in for the paper's, and the line whose alpha is not what the authors took."""
    if cell.dataset == STAND_IN:
        return "other data than the paper's"
    has_another = len(_apete_choices(cell.dataset, cell.method)) > 1
    return "the paper took a smaller alpha here: the next line" if has_another and cell.chosen == "alpha 0.05" else ""


def _tan_choice(method: str) -> str:
    return "" if method in ("original", "1-nn") else "valid"


def _apete_choices(dataset: str, method: str) -> tuple[str, ...]:
    if method != "a_pete":
        return ("" if method == "original" else "valid",)
    alphas = APETE_ALPHAS if dataset in ("compas", "rhc") else APETE_ALPHAS[:1]  # as in the paper
    return tuple(f"alpha {alpha}" for alpha in alphas)


def _balanced(runs: list[Run]) -> Spread:
    return Spread.of([run.scores.balanced_accuracy or 0.0 for run in runs])


def _accuracy(runs: list[Run]) -> Spread:
    return Spread.of([run.scores.accuracy or 0.0 for run in runs])


def _unassigned(runs: list[Run]) -> str:
    return f"{np.mean([run.scores.unassigned for run in runs]):.1%}"


def _printed_size(printed: Printed) -> str:
    return "" if printed.n_prototypes is None else str(printed.n_prototypes)


def _sizes(runs: list[Run]) -> str:
    sizes = [run.n_prototypes for run in runs if run.n_prototypes is not None]
    if not sizes or min(sizes) == max(sizes):
        return str(sizes[0]) if sizes else ""
    return f"{np.median(sizes):.0f} ({min(sizes)} to {max(sizes)})"
