"""How the pictures look, and how they are written: the same figures give the same file."""

from pathlib import Path

import matplotlib as mpl
import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from numpy.typing import NDArray

COLOURS = ("#4477aa", "#ee7733")  # of the first and of the second class, apart in any colour vision
_DOTS_PER_INCH = 110  # of what is drawn as dots inside a file


def draw_points(
    axis: Axes, places: NDArray[np.float64], classes: NDArray[np.int64], size: float, *, alpha: float = 1.0
) -> None:
    """Draw rows as dots, (n_rows, 2), coloured by class; thousands of shapes would make a file of megabytes."""
    colours = np.array(COLOURS)[classes]
    x, y = places.T
    axis.scatter(x, y, s=size, c=colours.tolist(), alpha=alpha, linewidths=0, rasterized=True)


def write_svg(figure: Figure, path: Path) -> None:
    """Write a picture without a date and with numbers that do not change."""
    mpl.rcParams["svg.hashsalt"] = "pictures"
    figure.savefig(path, format="svg", dpi=_DOTS_PER_INCH, metadata={"Date": None})
    path.write_text("\n".join(line.rstrip() for line in path.read_text(encoding="utf-8").splitlines()) + "\n", "utf-8")
    print(f"{path.name}: {path.stat().st_size:,} bytes", flush=True)
