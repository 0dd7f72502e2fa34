"""Trees as drawings in SVG, which need nothing but themselves: no script, no style sheet, no font, no network.

The root stands at the left and leaves below each other, so that every text is level and a tree of many leaves can be
scrolled through. Edges are as broad as the share of rows that go along them.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from schemas.approximation_trees import ApproximationNode, ApproximationTreeResult

from .colours import Colours
from .score_bars import score_bar
from .svg_elements import LINE, MUTED, bar, element, escaped, text
from .svg_header import Header
from .text_width import shortened, text_width, two_lines
from .tidy_layout import LEAF_PITCH, Place, lay_out
from .words import prediction, question, rows, shares, sureness

_MARGIN = 24.0
_FONT = "Helvetica, Arial, 'Liberation Sans', 'DejaVu Sans', sans-serif"
_TEXT, _SMALL = 13.0, 11.0  # sizes of fonts
_PADDING = 10.0
_NARROWEST, _WIDEST = 96.0, 250.0  # nodes
_LINE, _LEAF_HEIGHT = 17.0, 30.0
_BROADEST, _THINNEST = 13.0, 1.0  # edges
_EDGE = "#b4bdc7"
_CAPPED = "#a63c00"
_MOST_CLASSES = 12  # told of a node where the pointer rests on it


def write_svg(content: ApproximationTreeResult) -> str:
    """Return the whole document."""
    colours = Colours.of(content)
    drawing = _Drawing(content, colours, lay_out(content.nodes, [_width(node) for node in content.nodes]))
    header = Header.of(content, colours, drawing.width)
    width = max(drawing.width, header.width) + 2 * _MARGIN
    height = header.height + drawing.height + 2 * _MARGIN
    return (
        element(
            "svg",
            *header.descriptions(),
            bar(0, 0, width, height, "#ffffff"),
            element("g", *header.elements(), transform=f"translate({_MARGIN:g} {_MARGIN:g})"),
            element("g", *drawing.elements(), transform=f"translate({_MARGIN:g} {_MARGIN + header.height:g})"),
            xmlns="http://www.w3.org/2000/svg",
            role="img",
            aria_labelledby="tree-title tree-description",
            viewBox=f"0 0 {width:.0f} {height:.0f}",
            width=round(width),
            height=round(height),
            font_family=_FONT,
        )
        + "\n"
    )


def _width(node: ApproximationNode) -> float:
    if node.left is None:
        parts = (text_width(prediction(node), _TEXT, is_bold=True), text_width(_of_leaf(node), _SMALL), _PADDING)
        wanted = sum(parts)
    else:
        wanted = max(text_width(_asked(node), _TEXT, is_bold=True), text_width(_of_question(node), _SMALL))
    return min(max(wanted + 2 * _PADDING, _NARROWEST), _WIDEST)


def _asked(node: ApproximationNode) -> str:
    return f"{question(node)}?"


def _of_question(node: ApproximationNode) -> str:
    return " · ".join(filter(None, (rows(node), sureness(node))))


def _of_leaf(node: ApproximationNode) -> str:
    own = [score.value for score in node.scores if score.label == node.prediction]
    return " · ".join([*(f"{share:.2f}" for share in own), rows(node)])


@dataclass(frozen=True, slots=True)
class _Drawing:
    content: ApproximationTreeResult
    colours: Colours
    places: list[Place]

    @property
    def width(self) -> float:
        """Of all nodes together."""
        return max(place.right for place in self.places)

    @property
    def height(self) -> float:
        """Of all nodes together."""
        return max(place.middle for place in self.places) + LEAF_PITCH / 2

    def elements(self) -> Iterator[str]:
        """Yield edges first, so that nodes lie over them."""
        for node in self.content.nodes:
            yield from self._edges(node)
        for node in self.content.nodes:
            yield self._leaf(node) if node.left is None else self._inner(node)

    def _breadth(self, node: ApproximationNode) -> float:
        share = node.n_samples / max(1, self.content.nodes[0].n_samples)
        return max(_THINNEST, _BROADEST * share)

    def _edges(self, node: ApproximationNode) -> Iterator[str]:
        """Yield both edges of a node: side by side where they begin, so that together they are as broad as its own."""
        if node.left is None or node.right is None:
            return
        yes, no = self.content.nodes[node.left], self.content.nodes[node.right]
        start = self.places[node.id]
        top = start.middle - (self._breadth(yes) + self._breadth(no)) / 2
        yield from self._edge(start, top + self._breadth(yes) / 2, yes, "yes")
        yield from self._edge(start, top + self._breadth(yes) + self._breadth(no) / 2, no, "no")

    def _edge(self, start: Place, y: float, child: ApproximationNode, answer: str) -> Iterator[str]:
        end, breadth = self.places[child.id], self._breadth(child)
        x, bend = start.right, (end.left - start.right) / 2
        curve = f"M{x:.1f} {y:.1f}C{x + bend:.1f} {y:.1f} {end.left - bend:.1f} {end.middle:.1f}"
        path = f"{curve} {end.left:.1f} {end.middle:.1f}"
        yield element("path", d=path, fill="none", stroke=_EDGE, stroke_width=breadth)
        # On the side from which the edge does not come.
        beside = end.middle - breadth / 2 - 5 if answer == "yes" else end.middle + breadth / 2 + 12
        yield text(answer, end.left - 6, beside, _SMALL, fill=MUTED, text_anchor="end")

    def _inner(self, node: ApproximationNode) -> str:
        place = self.places[node.id]
        x, room = place.left + _PADDING, place.width - 2 * _PADDING
        asked = two_lines(_asked(node), _TEXT, room, is_bold=True)
        counted = shortened(_of_question(node), _SMALL, room)
        height = _LINE * len(asked) + 31
        top = place.middle - height / 2
        return element(
            "g",
            element("title", escaped(_tooltip(node))),
            self._box(place, height),
            *(text(line, x, top + 18 + _LINE * at, _TEXT, font_weight="600") for at, line in enumerate(asked)),
            text(counted, x, top + height - 14, _SMALL, fill=_CAPPED if node.at_cap else MUTED),
            *score_bar(node, self.colours, x, top + height - 9, room),
        )

    def _leaf(self, node: ApproximationNode) -> str:
        place = self.places[node.id]
        top, x = place.middle - _LEAF_HEIGHT / 2, place.left + _PADDING
        counted = _of_leaf(node)
        room = place.width - 3 * _PADDING - text_width(counted, _SMALL)
        fill = self.colours.of_prediction(node.prediction)
        return element(
            "g",
            element("title", escaped(_tooltip(node))),
            self._box(place, _LEAF_HEIGHT),
            bar(place.left, top, 5, _LEAF_HEIGHT, fill, rx=2),
            text(shortened(prediction(node), _TEXT, room, is_bold=True), x, top + 17, _TEXT, font_weight="600"),
            text(counted, place.right - _PADDING, top + 17, _SMALL, fill=MUTED, text_anchor="end"),
            *score_bar(node, self.colours, x, top + _LEAF_HEIGHT - 8, place.width - 2 * _PADDING),
        )

    def _box(self, place: Place, height: float) -> str:
        top = place.middle - height / 2
        return bar(place.left, top, place.width, height, "#ffffff", stroke=LINE, stroke_width=1, rx=5)


def _tooltip(node: ApproximationNode) -> str:
    """Return all that is known of a node, where there is no room for it in the drawing."""
    told = prediction(node) if node.left is None else f"{_asked(node)} (so far {prediction(node)})"
    return "\n".join(filter(None, (told, _of_question(node), shares(node, _MOST_CLASSES))))
