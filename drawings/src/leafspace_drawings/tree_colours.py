"""Colours of classes and values. They never distinguish red from green, and a text always repeats them."""

from collections import Counter
from collections.abc import Collection, Mapping
from dataclasses import dataclass

from .classes import COLOURS, OTHER_COLOUR, colour_numbers
from .tree_documents import Tree

OTHER_CLASSES = OTHER_COLOUR
_LOWEST, _HIGHEST = (222, 235, 247), (8, 69, 148)  # of values: from light to dark
_DARK, _LIGHT = "#000000", "#ffffff"
_MIDDLE = 0.179  # luminance that has the same contrast with black and with white, 4.6 to 1


@dataclass(frozen=True, slots=True)
class Colours:
    """The colours of a tree's predictions."""

    of_classes: Mapping[str, str]  # classes with a colour of their own; all others share ``OTHER_CLASSES``
    lowest: float  # of the values that a regression's nodes predict
    highest: float

    @staticmethod
    def of(content: Tree, adverse: Collection[str] = ()) -> "Colours":
        """Return the colours of a tree; if there are too many classes, the most frequent in leaves get their own.

        ``adverse`` are classes that are so to the person concerned, see ``colour_numbers``.
        """
        values = [node.prediction for node in content.nodes if isinstance(node.prediction, float)]
        return Colours(_of_classes(content, adverse), min(values, default=0.0), max(values, default=0.0))

    def of_label(self, label: str) -> str:
        """Return the colour of a class."""
        return self.of_classes.get(label, OTHER_CLASSES)

    def of_value(self, value: float) -> str:
        """Return the colour of a value."""
        share = self.share(value)
        mixed = (round(low + (high - low) * share) for low, high in zip(_LOWEST, _HIGHEST, strict=True))
        return "#{:02x}{:02x}{:02x}".format(*mixed)

    def share(self, value: float) -> float:
        """Return where a value lies between the lowest (0) and the highest (1)."""
        spread = self.highest - self.lowest
        return (value - self.lowest) / spread if spread > 0 else 0.5

    def of_prediction(self, prediction: float | str) -> str:
        """Return the colour of what a node predicts."""
        return self.of_label(prediction) if isinstance(prediction, str) else self.of_value(prediction)


def _of_classes(content: Tree, adverse: Collection[str]) -> dict[str, str]:
    labels = content.classes
    if len(labels) > len(COLOURS):
        n_rows: Counter[float | str] = Counter()
        for node in content.nodes:
            n_rows[node.prediction] += node.n_samples if node.left is None else 0
        labels = sorted(labels, key=lambda label: -n_rows[label])
    numbers = colour_numbers(labels, adverse)
    return {label: COLOURS[number - 1] for label, number in numbers.items() if number is not None}


def text_colour_on(fill: str) -> str:
    """Return the colour, black or white, in which text is legible on another."""
    red, green, blue = (_linear(int(fill[start : start + 2], 16) / 255) for start in (1, 3, 5))
    return _DARK if 0.2126 * red + 0.7152 * green + 0.0722 * blue >= _MIDDLE else _LIGHT


def _linear(channel: float) -> float:
    """Return the linear intensity of an sRGB channel, as WCAG 2 defines it for luminance."""
    return channel / 12.92 if channel <= 0.04045 else ((channel + 0.055) / 1.055) ** 2.4
