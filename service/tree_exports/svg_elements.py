"""Elements of SVG: texts and attributes escaped, and nothing that a strict policy for content would keep from showing.

Presentation attributes alone: no styles, no scripts, nothing that is loaded.
"""

from xml.sax.saxutils import escape, quoteattr

INK, MUTED, LINE = "#1c2733", "#5a6673", "#c3cad2"


def element(name: str, *inside: str, **attributes: float | str) -> str:
    """Return an element around others; ``_`` in the names of attributes stands for ``-``."""
    told = "".join(f" {key.rstrip('_').replace('_', '-')}={_value(value)}" for key, value in attributes.items())
    return f"<{name}{told}>{''.join(inside)}</{name}>" if inside else f"<{name}{told}/>"


def escaped(text: str) -> str:
    """Return a text that is shown as it is; its characters must be ones that can be printed."""
    return escape(text)


def text(told: str, x: float, y: float, size: float, **attributes: float | str) -> str:
    """Return a line of text that begins at ``x``, unless ``text_anchor`` says otherwise, on the line ``y``."""
    places: dict[str, float | str] = {"x": x, "y": y, "font_size": size, "fill": INK}
    return element("text", escaped(told), **(places | attributes))


def bar(x: float, y: float, width: float, height: float, fill: str, **attributes: float | str) -> str:
    """Return a rectangle."""
    places: dict[str, float | str] = {"x": x, "y": y, "width": width, "height": height, "fill": fill}
    return element("rect", **(places | attributes))


def _value(value: float | str) -> str:
    return quoteattr(value if isinstance(value, str) else f"{value:.2f}".rstrip("0").rstrip("."))
