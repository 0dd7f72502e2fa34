"""The picture of the packages shows the floors that import-linter holds."""

from xml.etree import ElementTree as ET

from scripts.draw_architecture import PICTURE, draw, floors


def test_the_picture_in_the_docs_is_drawn_from_the_floors_of_today() -> None:
    assert PICTURE.read_text(encoding="utf-8") == draw(), "run `python -m scripts.draw_architecture`"


def test_each_package_has_its_box_on_its_floor() -> None:
    heights = {
        text.text: float(text.attrib["y"])
        for text in ET.fromstring(draw()).iter("{http://www.w3.org/2000/svg}text")  # noqa: S314  # ours
        if text.attrib["class"] == "name"
    }
    tops = [{heights[name] for name in names} for names in floors()]

    assert all(len(top) == 1 for top in tops)
    assert [min(top) for top in tops] == sorted(min(top) for top in tops)
