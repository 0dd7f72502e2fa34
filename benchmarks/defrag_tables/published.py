"""What Hara & Hayashi (2018) print, and what can be read from their figures."""

from typing import NamedTuple

from .datasets import DATASETS


class Printed(NamedTuple):
    """A cell of a table: mean and standard deviation over ten draws."""

    mean: float
    deviation: float


class Drawn(NamedTuple):
    """The marks at the ends of a figure's axis of test errors; its points are not printed as numbers."""

    lowest: float
    highest: float


class EnergyRule(NamedTuple):
    """A rule of table 4."""

    prediction: float
    text: str


# Table 2: seconds for one restart; EM ran over K = 1, 2, ..., 10, all in one.
_SECONDS = {
    "fab": ((2.59, 2.28), (4.03, 4.76), (3.07, 1.35), (280.0, 174.0), (149.0, 58.3), (0.03, 0.02)),
    "em": ((21.4, 7.33), (30.1, 11.4), (81.2, 12.4), (1459.0, 263.0), (603.0, 53.6), (0.49, 0.18)),
}

# Table 3: mean number of rules that cover a test row.
_RULES_PER_ROW = {
    "proposed": ((1.01, 0.03), (1.05, 0.06), (1.60, 0.12), (2.51, 0.09), (1.56, 0.21), (0.95, 0.08)),
    "inTrees": ((4.65, 0.38), (3.73, 0.41), (5.39, 0.34), (6.25, 0.28), (5.53, 0.27), (3.30, 0.19)),
    "Node Harvest": ((3.53, 0.95), (8.78, 2.02), (12.4, 1.76), (17.9, 2.24), (9.42, 1.85), (3.61, 0.19)),
}

# Figures 4 and 5: between which marks of the axis the points lie.
_FIGURE_4 = ((0.2, 0.4), (0.2, 0.4), (0.1, 0.4), (0.15, 0.3), (0.35, 0.45), (0.0, 100.0))
_FIGURE_5 = ((0.1, 0.5), (0.1, 0.3), (0.05, 0.2), (0.08, 0.16), (0.3, 0.38), (0.0, 20.0))
NUMBERS_OF_RULES = "3 to 10"  # of the proposed method, in the text about figure 5
RULES_OF_SHALLOW_TREE = "4"  # of DTree2, ibid.

# Table 4, the rules of the proposed method.
ENERGY_RULES = (
    EnergyRule(12.33, "OverallHeight < 5.25, WallArea < 306.25"),
    EnergyRule(14.39, "OverallHeight < 5.25, WallArea >= 318.50"),
    EnergyRule(28.17, "OverallHeight >= 5.25, WallArea < 330.75"),
    EnergyRule(37.38, "OverallHeight >= 5.25, WallArea >= 343.00"),
)


def seconds(method: str, dataset: str) -> Printed:
    """Return a cell of table 2."""
    return Printed(*_SECONDS[method][DATASETS.index(dataset)])


def rules_per_row(method: str, dataset: str) -> Printed:
    """Return a cell of table 3."""
    return Printed(*_RULES_PER_ROW[method][DATASETS.index(dataset)])


def figure_4(dataset: str) -> Drawn:
    """Return what can be read of a panel of figure 4."""
    return Drawn(*_FIGURE_4[DATASETS.index(dataset)])


def figure_5(dataset: str) -> Drawn:
    """Return what can be read of a panel of figure 5."""
    return Drawn(*_FIGURE_5[DATASETS.index(dataset)])
