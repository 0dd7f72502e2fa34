"""What a dataset's columns hold, and what was made of its rows."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from .classes import Classes, ClassMark
from .columns import ColumnNames
from .forms import Form
from .images import ImageColumns
from .links import Links
from .overview import made_of
from .pictures import picture
from .scales import Axis
from .templating import render

Json = Mapping[str, Any]

N_COLUMNS_SHOWN, N_CATEGORIES_SHOWN = 60, 3
_ROLES = {"feature": 1, "target": 0, "row_id": 2, "ignored": 3}  # in this order


@dataclass(frozen=True, slots=True)
class CountsByClass:
    """How many rows of each class have which numbers; empty where that is not known."""

    classes: Sequence[str] = ()
    columns: Mapping[str, Sequence[Sequence[int]]] = field(default_factory=dict)  # by name: class x bin of equal width


@dataclass(frozen=True, slots=True)
class DatasetContext:
    """What a drawing of a dataset can use beside its document; each part may be absent."""

    made: Mapping[str, Sequence[Json]] = field(default_factory=dict)  # by noun, artefacts of its rows without results
    links: Links = field(default_factory=Links)
    models: Mapping[str, str] = field(default_factory=dict)  # by id, names of the models that they are of
    n_columns: int = N_COLUMNS_SHOWN
    counts: CountsByClass = field(default_factory=CountsByClass)
    n_hidden: int = 0  # columns that the document lacks, as the dictionary hides them
    renaming: Form | None = None  # how it gets another name


@picture("dataset", ids="ds_", part="datasets", words="dataset", context=DatasetContext)
def draw_dataset(document: Json, context: DatasetContext) -> str:
    """Return the drawing of an answer of ``GET /v1/datasets/{id}``."""
    return render("dataset", kept=_Kept(document, context))


@dataclass(frozen=True, slots=True)
class Spread:
    """Where a column's numbers lie, in a picture ``WIDTH`` wide: from the lowest to the highest."""

    low: float  # places: the lower quartile
    middle: float
    high: float
    texts: tuple[float, float, float]  # lowest, median and highest number

    WIDTH = 240
    _INSET = 6

    @classmethod
    def of(cls, column: Json) -> "Spread | None":
        """Return the spread of a column; None where its quantiles are not known."""
        quantiles: Sequence[float] | None = column.get("quantiles")
        if not quantiles:
            return None
        last = len(quantiles) - 1
        three = [quantiles[last * quarter // 4] for quarter in (1, 2, 3)]
        axis = Axis((quantiles[0], quantiles[-1]), by_rank=False)
        low, middle, high = (cls._INSET + axis.place(value) * (cls.WIDTH - 2 * cls._INSET) for value in three)
        return cls(round(low, 1), round(middle, 1), round(high, 1), (quantiles[0], three[1], quantiles[-1]))


@dataclass(frozen=True, slots=True)
class Histogram:
    """The counts of a column's classes upon each other, ``WIDTH`` x ``HEIGHT``, above the same axis as its spread."""

    shapes: tuple[tuple[ClassMark, str], ...]  # of each class, and its path
    most: int  # rows of the highest bin

    WIDTH, HEIGHT = Spread.WIDTH, 34
    _INSET = 6

    @classmethod
    def of(cls, counts: Sequence[Sequence[int]], marks: Sequence[ClassMark]) -> "Histogram":
        """Return the histogram of counts by class and bin; the last class stands at the bottom."""
        most = max(map(sum, zip(*counts, strict=True)))
        width = (cls.WIDTH - 2 * cls._INSET) / len(counts[0])
        above = [float(cls.HEIGHT)] * len(counts[0])
        shapes = []
        for mark, of_class in zip(reversed(marks), reversed(counts), strict=True):
            path = ""
            for index, count in enumerate(of_class):
                height = (cls.HEIGHT - 1) * count / most
                above[index] -= height
                if count:
                    x, y = cls._INSET + index * width, above[index]
                    path += f"M{x:.1f} {y:.1f}h{width - 1:.1f}v{height:.1f}h{1 - width:.1f}z"
            shapes.append((mark, path))
        return cls(tuple(reversed(shapes)), most)


class _Kept:
    """What the template shows of a dataset."""

    def __init__(self, document: Json, context: DatasetContext) -> None:
        self.document, self.context, self.links = document, context, context.links
        columns = sorted(document["columns"], key=lambda column: _ROLES[column["role"]])
        numbers = [column["name"] for column in document["columns"] if column["type"] == "number"]
        self.pixels = ImageColumns.among(document, numbers)
        names = set(self.pixels.names if self.pixels else ())
        self.image = self.pixels.data_url(_medians(document)) if self.pixels else None
        others = [column for column in columns if column["name"] not in names]
        shown = others[: context.n_columns]
        self.columns = [(column, Spread.of(column), self._categories(column)) for column in shown]
        self.names = ColumnNames(document)
        classes, counts = Classes(context.counts.classes, document), context.counts.columns
        self.marks = [classes[label] for label in context.counts.classes]
        self.histograms = {name: Histogram.of(counts[name], self.marks) for name in counts}
        self.n_more = len(others) - len(shown)
        self.made = made_of(context.made, self.links)

    @staticmethod
    def _categories(column: Json) -> list[tuple[str, int]]:
        """Return the most frequent categories with the numbers of their rows (ties: in alphabetical order)."""
        counted = zip(column["categories"] or (), column.get("category_counts") or (), strict=False)
        return sorted(counted, key=lambda each: -each[1])[:N_CATEGORIES_SHOWN]


def _medians(document: Json) -> dict[str, float]:
    """Return the median of each column whose quantiles are known."""
    known = {column["name"]: column.get("quantiles") for column in document["columns"]}
    return {name: points[(len(points) - 1) // 2] for name, points in known.items() if points}
