"""Trees as drawings in SVG that depend on nothing else: no script, no style sheet, no font, no network.

The root is at the left and leaves are below each other, so that every text is horizontal and a tree of many leaves can
be scrolled through. The width of an edge is proportional to the share of rows that take it.
"""

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate

from .tree_colours import OTHER_CLASSES, Colours
from .tree_documents import Node, Tree
from .tree_svg_parts import LINE, MUTED, Header, bar, element, escaped, question_lines, shortened, text, text_width
from .tree_texts import confidence, prediction, question, row_count, shares
from .words import share

_MARGIN = 24.0
_FONT = "Helvetica, Arial, 'Liberation Sans', 'DejaVu Sans', sans-serif"
_TEXT, _SMALL = 13.0, 11.0  # sizes of fonts
_PADDING = 10.0
_NARROWEST, _WIDEST, _WIDEST_LEAF = 96.0, 220.0, 320.0  # nodes; a question has several lines, a prediction one
_LINE_HEIGHT, _LEAF_HEIGHT = 17.0, 30.0
_THICKEST, _THINNEST = 13.0, 1.0  # edges
_COLUMN_GAP = 60.0  # between two depths, for edges
_LEAF_PITCH = 42.0  # from one leaf to the next
EDGE = "#b4bdc7"
CAPPED = "#a63c00"
_CLASSES_IN_TOOLTIP = 12
_BAR_HEIGHT = 4.0
EMPTY_BAR = "#e8ebee"
_NEARLY_ALL = 1 - 1e-9  # of a bar: the rest is rounding


def write_svg(content: Tree, adverse: Collection[str] = ()) -> str:
    """Return the whole document; ``adverse`` are classes that are so to the person concerned."""
    colours = Colours.of(content, adverse)
    drawing = _Drawing(content, colours, _lay_out(content.nodes))
    header = Header.of(content, colours, drawing.width, adverse)
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


@dataclass(frozen=True, slots=True)
class _Box:
    """Where a node is drawn, in pixels."""

    left: float
    middle: float  # of its height
    width: float

    @property
    def right(self) -> float:
        """The end at which its edges begin."""
        return self.left + self.width


def _lay_out(nodes: Sequence[Node]) -> list[_Box]:
    """Return the box of each node, by its id.

    Nodes of one depth form a column, all as wide as the widest, and a parent is half way between its children. Two
    leaves of a column are at least one pitch apart, a leaf and an inner node one and a half, two inner nodes two
    pitches; the room between a node and its children is free for edges.
    """
    columns = [0.0] * (1 + max(node.depth for node in nodes))
    for node in nodes:
        columns[node.depth] = max(columns[node.depth], _wanted_width(node))
    starts = list(accumulate((width + _COLUMN_GAP for width in columns), initial=0.0))
    middles = _middles(nodes)
    return [_Box(starts[node.depth], middle, columns[node.depth]) for node, middle in zip(nodes, middles, strict=True)]


def _wanted_width(node: Node) -> float:
    if node.left is None:
        parts = (text_width(prediction(node), _TEXT, is_bold=True), text_width(_leaf_details(node), _SMALL), _PADDING)
        wanted, widest = sum(parts), _WIDEST_LEAF
    else:
        widest = _WIDEST
        wanted = max(text_width(question(node), _TEXT, is_bold=True), text_width(_split_details(node), _SMALL))
    return min(max(wanted + 2 * _PADDING, _NARROWEST), widest)


def _middles(nodes: Sequence[Node]) -> list[float]:
    middles = [0.0] * len(nodes)
    n_leaves = 0
    for node in nodes:  # preorder has the leaves in their order
        if node.left is None:
            middles[node.id] = (n_leaves + 0.5) * _LEAF_PITCH
            n_leaves += 1
    for node in reversed(nodes):  # children before their parents
        if node.left is not None and node.right is not None:
            middles[node.id] = (middles[node.left] + middles[node.right]) / 2
    return middles


@dataclass(frozen=True, slots=True)
class _Drawing:
    content: Tree
    colours: Colours
    boxes: list[_Box]  # by node

    @property
    def width(self) -> float:
        """Of all nodes together."""
        return max(box.right for box in self.boxes)

    @property
    def height(self) -> float:
        """Of all nodes together."""
        return max(box.middle for box in self.boxes) + _LEAF_PITCH / 2

    def elements(self) -> Iterator[str]:
        """Yield edges first, so that nodes cover their ends."""
        for node in self.content.nodes:
            yield from self._edges(node)
        for node in self.content.nodes:
            yield self._leaf(node) if node.left is None else self._inner(node)

    def _thickness(self, node: Node) -> float:
        share = node.n_samples / max(1, self.content.nodes[0].n_samples)
        return max(_THINNEST, _THICKEST * share)

    def _edges(self, node: Node) -> Iterator[str]:
        """Yield both edges of a node; they begin side by side, together as thick as the edge to the node."""
        if node.left is None or node.right is None:
            return
        yes, no = self.content.nodes[node.left], self.content.nodes[node.right]
        start = self.boxes[node.id]
        top = start.middle - (self._thickness(yes) + self._thickness(no)) / 2
        yield from self._edge(start, top + self._thickness(yes) / 2, yes, "yes")
        yield from self._edge(start, top + self._thickness(yes) + self._thickness(no) / 2, no, "no")

    def _edge(self, start: _Box, y: float, child: Node, answer: str) -> Iterator[str]:
        end, thickness = self.boxes[child.id], self._thickness(child)
        x, bend = start.right, (end.left - start.right) / 2
        curve = f"M{x:.1f} {y:.1f}C{x + bend:.1f} {y:.1f} {end.left - bend:.1f} {end.middle:.1f}"
        path = f"{curve} {end.left:.1f} {end.middle:.1f}"
        yield element("path", d=path, fill="none", stroke=EDGE, stroke_width=thickness)
        # The answer is on the side from which the edge does not come.
        beside = end.middle - thickness / 2 - 5 if answer == "yes" else end.middle + thickness / 2 + 12
        yield text(answer, end.left - 6, beside, _SMALL, fill=MUTED, text_anchor="end")

    def _inner(self, node: Node) -> str:
        box = self.boxes[node.id]
        x, room = box.left + _PADDING, box.width - 2 * _PADDING
        lines = question_lines(question(node), node.feature or "", _TEXT, room, is_bold=True)
        details = shortened(_split_details(node), _SMALL, room)
        height = _LINE_HEIGHT * len(lines) + 31
        top = box.middle - height / 2
        return element(
            "g",
            element("title", escaped(_tooltip(node))),
            _frame(box, height),
            *(text(line, x, top + 18 + _LINE_HEIGHT * i, _TEXT, font_weight="600") for i, line in enumerate(lines)),
            text(details, x, top + height - 14, _SMALL, fill=CAPPED if node.at_cap else MUTED),
            *_score_bar(node, self.colours, x, top + height - 9, room),
        )

    def _leaf(self, node: Node) -> str:
        box = self.boxes[node.id]
        top, x = box.middle - _LEAF_HEIGHT / 2, box.left + _PADDING
        details = _leaf_details(node)
        room = box.width - 3 * _PADDING - text_width(details, _SMALL)
        fill = self.colours.of_prediction(node.prediction)
        return element(
            "g",
            element("title", escaped(_tooltip(node))),
            _frame(box, _LEAF_HEIGHT),
            bar(box.left, top, 5, _LEAF_HEIGHT, fill, rx=2),
            text(shortened(prediction(node), _TEXT, room, is_bold=True), x, top + 17, _TEXT, font_weight="600"),
            text(details, box.right - _PADDING, top + 17, _SMALL, fill=MUTED, text_anchor="end"),
            *_score_bar(node, self.colours, x, top + _LEAF_HEIGHT - 8, box.width - 2 * _PADDING),
        )


def _frame(box: _Box, height: float) -> str:
    top = box.middle - height / 2
    return bar(box.left, top, box.width, height, "#ffffff", stroke=LINE, stroke_width=1, rx=5)


def _split_details(node: Node) -> str:
    return " · ".join(filter(None, (row_count(node), confidence(node))))


def _leaf_details(node: Node) -> str:
    own = [score.value for score in node.scores if score.label == node.prediction]
    return " · ".join([*map(share, own), row_count(node)])


def _tooltip(node: Node) -> str:
    """Return all details of a node, for which the drawing has no room."""
    title = prediction(node) if node.left is None else f"{question(node)} (so far {prediction(node)})"
    return "\n".join(filter(None, (title, _split_details(node), shares(node, _CLASSES_IN_TOOLTIP))))


def _score_bar(node: Node, colours: Colours, x: float, y: float, width: float) -> Iterator[str]:
    """Yield a thin bar below a node's text: the shares of classes side by side, or how high a value is."""
    for fill, start, part in _bar_parts(node, colours):
        if part > 0:
            yield bar(x + start * width, y, part * width, _BAR_HEIGHT, fill)


def _bar_parts(node: Node, colours: Colours) -> Iterator[tuple[str, float, float]]:
    """Yield the colour of each part, where it begins and its share of the whole."""
    if isinstance(node.prediction, float):
        share = colours.share(node.prediction)
        yield colours.of_value(node.prediction), 0, share
        yield EMPTY_BAR, share, 1 - share
        return
    start = 0.0
    for score in node.scores:  # in the order of the classes, at every node
        if score.label in colours.of_classes:
            yield colours.of_label(score.label), start, score.value
            start += score.value
    yield OTHER_CLASSES, start, 1 - start if start < _NEARLY_ALL else 0
