"""A thin bar below a node's text: the shares of classes beside each other, or how high a value is."""

from collections.abc import Iterator

from schemas.approximation_trees import ApproximationNode

from .colours import OTHERS, Colours
from .svg_elements import bar

_HEIGHT = 4.0
_EMPTY = "#e8ebee"
_NEARLY_ALL = 1 - 1e-9  # of a bar: what is left is but rounding


def score_bar(node: ApproximationNode, colours: Colours, x: float, y: float, width: float) -> Iterator[str]:
    """Yield the rectangles of a bar whose upper left corner is at ``(x, y)``."""
    for fill, start, share in _parts(node, colours):
        if share > 0:
            yield bar(x + start * width, y, share * width, _HEIGHT, fill)


def _parts(node: ApproximationNode, colours: Colours) -> Iterator[tuple[str, float, float]]:
    """Yield the colour of each part, where it begins and how much of the whole it takes."""
    if isinstance(node.prediction, float):
        share = colours.share(node.prediction)
        yield colours.of_value(node.prediction), 0, share
        yield _EMPTY, share, 1 - share
        return
    start = 0.0
    for score in node.scores:  # in the order of the classes, at every node
        if score.label in colours.of_classes:
            yield colours.of_label(score.label), start, score.value
            start += score.value
    yield OTHERS, start, 1 - start if start < _NEARLY_ALL else 0
