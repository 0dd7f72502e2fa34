"""What the two papers print."""

from typing import NamedTuple


class Printed(NamedTuple):
    """A cell of a table: the score, two digits as printed, and how many prototypes it took, where that has meaning."""

    score: float
    n_prototypes: int | None = None


_Cell = tuple[float] | tuple[float, int]

TAN_DATASETS = ("breast_cancer", "diabetes", "compas", "rhc", "mnist_4v9", "caltech")
TAN_METHODS = ("original", "1-nn", "sm_u", "sg", "sm_a", "sm_wa")

# Tan, Soloviev, Hooker, Wells (2020), table 1: balanced accuracy on the test rows.
_TAN: dict[str, dict[str, tuple[_Cell, ...]]] = {
    "random_forest": {
        "original": ((0.92,), (0.72,), (0.56,), (0.68,), (0.97,), (0.81,)),
        "1-nn": ((0.91, 341), (0.67, 460), (0.57, 600), (0.65, 3441), (0.97, 3000), (0.78, 129)),
        "sm_u": ((0.92, 12), (0.76, 5), (0.61, 10), (0.69, 11), (0.97, 187), (0.83, 16)),
        "sg": ((0.90, 4), (0.77, 5), (0.68, 5), (0.66, 12), (0.97, 18), (0.83, 3)),
        "sm_a": ((0.92, 11), (0.77, 4), (0.57, 15), (0.68, 9), (0.97, 163), (0.79, 15)),
        "sm_wa": ((0.92, 15), (0.77, 6), (0.60, 13), (0.69, 13), (0.97, 243), (0.86, 18)),
    },
    "boosting": {
        "original": ((0.94,), (0.69,), (0.55,), (0.70,), (0.97,), (0.84,)),
        "1-nn": ((0.92, 341), (0.70, 460), (0.58, 600), (0.65, 3441), (0.97, 3000), (0.84, 129)),
        "sm_u": ((0.92, 21), (0.70, 12), (0.53, 26), (0.65, 62), (0.96, 249), (0.84, 11)),
        "sg": ((0.95, 3), (0.78, 4), (0.67, 5), (0.69, 15), (0.96, 23), (0.82, 2)),
        "sm_a": ((0.92, 22), (0.69, 12), (0.57, 4), (0.65, 4), (0.96, 247), (0.84, 11)),
        "sm_wa": ((0.92, 20), (0.69, 12), (0.56, 27), (0.65, 4), (0.96, 261), (0.84, 11)),
    },
}

# The same, its rows of Euclidean distance, by dataset.
_EUCLIDEAN = {
    "1-nn": ((0.91, 341), (0.68, 460), (0.53, 600), (0.59, 3441), (0.96, 3000), (0.81, 129)),
    "sm_u": ((0.89, 19), (0.71, 26), (0.51, 62), (0.61, 40), (0.93, 313), (0.82, 6)),
    "sg": ((0.87, 3), (0.75, 4), (0.58, 22), (0.67, 19), (0.90, 65), (0.74, 9)),
    "sm_a": ((0.88, 18), (0.68, 3), (0.52, 51), (0.60, 8), (0.93, 377), (0.88, 6)),
    "sm_wa": ((0.91, 15), (0.73, 5), (0.51, 61), (0.61, 33), (0.93, 380), (0.88, 6)),
}
TAN_EUCLIDEAN = {
    dataset: {method: cells[place] for method, cells in _EUCLIDEAN.items()}
    for place, dataset in enumerate(TAN_DATASETS)
}

APETE_DATASETS = TAN_DATASETS
APETE_METHODS = ("original", "sm_a", "sm_wa", "a_pete")

# Karolczak, Stefanowski (2024), table 2: plain accuracy on the test rows.
_APETE: dict[str, tuple[_Cell, ...]] = {
    "original": ((0.93,), (0.73,), (0.66,), (0.75,), (0.99,), (0.69,)),
    "sm_a": ((0.92, 8), (0.74, 3), (0.30, 20), (0.74, 12), (0.97, 14), (0.70, 16)),
    "sm_wa": ((0.92, 8), (0.72, 2), (0.30, 20), (0.40, 10), (0.97, 11), (0.72, 5)),
    "a_pete": ((0.92, 7), (0.73, 5), (0.32, 23), (0.73, 9), (0.97, 19), (0.70, 6)),
}

# Table 1 of the same: features looked at in each split. The forest alone is given those of A-PETE, as the paper does
# not say which forest its first row is.
_APETE_MAX_FEATURES: dict[str, tuple[str | float, ...]] = {
    "sm_a": ("sqrt", 0.33, 0.33, 7, "sqrt", "sqrt"),
    "sm_wa": ("sqrt", "sqrt", 0.5, 0.5, "sqrt", 0.33),
    "a_pete": ("sqrt", 0.33, 0.5, 7, 0.33, "sqrt"),
}


def tan(dataset: str, model: str, method: str) -> Printed:
    """Return a cell of Tan et al., table 1; all kinds of boosting are compared with the paper's one."""
    return Printed(*_TAN["boosting" if model.startswith("boosting") else model][method][TAN_DATASETS.index(dataset)])


def apete(dataset: str, method: str) -> Printed:
    """Return a cell of A-PETE, table 2."""
    return Printed(*_APETE[method][APETE_DATASETS.index(dataset)])


def apete_max_features(dataset: str, method: str) -> str | float:
    """Return the setting of the forest behind a cell of A-PETE, table 2."""
    return _APETE_MAX_FEATURES["a_pete" if method == "original" else method][APETE_DATASETS.index(dataset)]
