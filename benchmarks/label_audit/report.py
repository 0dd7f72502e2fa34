"""What was measured: a reading, tables and a plot."""

from collections.abc import Iterator, Sequence
from importlib.metadata import version
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from benchmarks.machine import describe_machine

from .experiment import MAIN, PAPER, SETTINGS, SHARES, Repetition, Setting, names_of

Measured = list[tuple[Setting, list[Repetition]]]
Figures = dict[str, list[list[float]]]  # by order: a list for each repetition
_MEASURES = ("share of flipped labels found", "test accuracy after retraining")


def reading(measured: Measured) -> Iterator[str]:
    """Yield what the tables below say, in short."""
    for setting, repetitions in _with_main_orders(measured):
        yield f"**{setting.title}** ({len(repetitions)} repetitions)."
        yield "\n".join(_points(_found(setting, repetitions), _accuracy(repetitions)))


def about(measured: Measured, plot: Path | None) -> Iterator[str]:
    """Yield where the figures come from."""
    results = "benchmarks/results/label_audit"
    names = [setting.name for setting, _ in measured]
    settings = f" --settings {' '.join(names)}" if len(names) < len(SETTINGS) else ""
    command = f"python -m benchmarks.label_audit --json {results}.jsonl{settings} --plot {results}.svg > {results}.md"
    yield f"Made by `{command}` on {describe_machine()}, numba {version('numba')}."
    if plot:
        yield f"![share of flipped labels found, and test accuracy after retraining]({plot.name})"


def tables(setting: Setting, repetitions: Sequence[Repetition]) -> Iterator[str]:
    """Yield two tables: flipped labels found, and accuracy of the forest trained on what was mended."""
    n_flipped = "a third of the labels flipped"
    yield f"## {setting.title}, {n_flipped}\n"
    retrained = f", retrained ones {setting.n_retrained_trees}" if setting.n_retrained_trees else ""
    yield f"Audited forests have {setting.n_audited_trees:,} trees{retrained}; seeds 0 to {len(repetitions) - 1};"
    yield "mean ± standard deviation over repetitions.\n"
    yield "Share of the flipped labels found, by share of rows inspected:\n"
    yield from _table(_found(setting, repetitions), 1)
    if not setting.has_variants:
        yield "\nAccuracy on clean test rows of a forest trained on the mended labels:\n"
        yield from _table(_accuracy(repetitions), 0)


def draw(measured: Measured, path: Path) -> None:
    """Draw the figures of the main orders."""
    import matplotlib as mpl  # late, as tests of the tables draw nothing
    from matplotlib.figure import Figure

    mpl.rcParams["svg.hashsalt"] = "label audit"  # the same figures give the same file
    drawn = _with_main_orders(measured)
    figure = Figure(figsize=(10, 4 * len(drawn)), layout="constrained")
    panels = figure.subplots(len(drawn), 2, squeeze=False)
    for line, (setting, repetitions) in zip(panels, drawn, strict=True):
        for panel, figures, label in zip(
            line, (_found(setting, repetitions), _accuracy(repetitions)), _MEASURES, strict=True
        ):
            for name in MAIN:
                mean, spread = _mean_and_spread(figures[name])
                panel.errorbar([0, *SHARES], mean, spread, label=name, capsize=2, linewidth=1)
            panel.set(title=setting.title, xlabel="share of training rows inspected", ylabel=label)
    panels[0, 0].legend(fontsize=8)
    figure.savefig(path, metadata={"Date": None})


def _with_main_orders(measured: Measured) -> Measured:
    return [(setting, repetitions) for setting, repetitions in measured if not setting.has_variants]


def _found(setting: Setting, repetitions: Sequence[Repetition]) -> Figures:
    return {name: [one.found[name] for one in repetitions if name in one.found] for name in names_of(setting)}


def _accuracy(repetitions: Sequence[Repetition]) -> Figures:
    return {name: [one.accuracy[name] for one in repetitions if name in one.accuracy] for name in MAIN}


def _points(found: Figures, accuracy: Figures) -> Iterator[str]:
    for share in (0.15, 0.30):
        shares = ", ".join(f"{name} {_at(found, name, share):.1%}" for name in MAIN)
        yield f"- After {share:.0%} of the rows, flipped labels found: {shares}."
    shares = ", ".join(f"{name} {_at(accuracy, name, 0.30):.3f}" for name in MAIN)
    before = _at(accuracy, PAPER, 0)
    yield f"- Test accuracy from {before:.3f} before any inspection to, after 30%: {shares}."


def _at(figures: Figures, name: str, share: float) -> float:
    return float(_mean_and_spread(figures[name])[0][[0, *SHARES].index(share)])


def _mean_and_spread(repetitions: list[list[float]]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    values = np.array(repetitions)
    return values.mean(axis=0), values.std(axis=0, ddof=1) if len(values) > 1 else np.zeros(values.shape[1])


def _table(figures: Figures, first: int) -> Iterator[str]:
    shares = [0, *SHARES][first:]
    yield "| order | " + " | ".join(f"{share:.0%}" for share in shares) + " |"
    yield "|---|" + "---:|" * len(shares)
    most = max(map(len, figures.values()))
    for name, repetitions in figures.items():
        fewer = f" ({len(repetitions)} repetitions)" if len(repetitions) < most else ""
        mean, spread = (values[first:] for values in _mean_and_spread(repetitions))
        cells = (f"{value:.3f} ± {around:.3f}" for value, around in zip(mean, spread, strict=True))
        yield f"| {name}{fewer} | " + " | ".join(cells) + " |"
