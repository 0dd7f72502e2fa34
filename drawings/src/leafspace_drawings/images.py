"""Rows that are images: which columns are pixels, and a row as PNG."""

import re
import struct
import zlib
from base64 import b64encode
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

_PIXEL = re.compile(r"pixel[_ ](\d+)[_,](\d+)")
_SIGNATURE = b"\x89PNG\r\n\x1a\n"
_HOT = (230, 120, 0)
_COLOUR_TYPES = {1: 0, 3: 2}  # channels -> greyscale, RGB


@dataclass(frozen=True, slots=True)
class ImageColumns:
    """Columns that are the pixels of an image, row by row, with the channels of a pixel side by side."""

    names: tuple[str, ...]
    width: int
    height: int
    channels: int = 1
    highest: float = 255.0  # the value of white; 0 is black

    @staticmethod
    def of(document: Mapping[str, Any]) -> "ImageColumns":
        """Return the columns as a dataset's document declares them."""
        return ImageColumns(
            tuple(document["columns"]),
            document["width"],
            document["height"],
            document.get("channels", 1),
            document.get("highest", 255.0),
        )

    @classmethod
    def among(cls, dataset: Mapping[str, Any] | None, names: Sequence[str]) -> "ImageColumns | None":
        """Return the first image that a dataset's document declares, or else what the names of columns offer.

        White is declared, or else the highest number of all its columns, where these are known.
        """
        declared = (dataset or {}).get("images")
        offered = None if declared else cls.offered_by(names)
        if offered is None:
            return cls.of(declared[0]) if declared else None
        pixels = set(offered.names)
        most = max(
            (each.get("max") or 0 for each in (dataset or {}).get("columns", ()) if each["name"] in pixels), default=0
        )
        return replace(offered, highest=float(most)) if most > 0 else offered

    @staticmethod
    def offered_by(names: Sequence[str]) -> "ImageColumns | None":
        """Return what names such as ``pixel_3_27`` or ``pixel 3,27`` (row, column) offer; None: they are no image."""
        places = {(int(m[1]), int(m[2])): name for name in names if (m := _PIXEL.fullmatch(name))}
        if len(places) < 2:  # one pixel is no picture
            return None
        height, width = (1 + max(place[axis] for place in places) for axis in (0, 1))
        if len(places) != height * width:
            return None
        return ImageColumns(
            tuple(places[row, column] for row in range(height) for column in range(width)), width, height
        )

    def data_url(self, values: Mapping[str, Any]) -> str:
        """Return a row's image as a ``data:`` address of a PNG; a missing pixel is black."""
        return _address(bytes(self._samples(values)), self.width, self.height, self.channels)

    def heat_url(self, values: Mapping[str, Any], shares: Mapping[str, float]) -> str | None:
        """Return the address of a grey image under a heat of shares by column; None for images with colours."""
        if self.channels != 1 or not shares:
            return None
        most = max(shares.values()) or 1.0
        heats = (shares.get(name, 0.0) / most for name in self.names)
        mixed = (
            round(grey + (hot - grey) * heat)
            for grey, heat in zip(self._samples(values), heats, strict=True)
            for hot in _HOT
        )
        return _address(bytes(mixed), self.width, self.height, 3)

    def _samples(self, values: Mapping[str, Any]) -> list[int]:
        scale = 255 / self.highest
        return [min(255, max(0, round((values.get(name) or 0) * scale))) for name in self.names]


def _address(samples: bytes, width: int, height: int, channels: int) -> str:
    return f"data:image/png;base64,{b64encode(_png(samples, width, height, channels)).decode()}"


def _png(pixels: bytes, width: int, height: int, channels: int) -> bytes:
    """Write 8-bit samples as PNG (ISO/IEC 15948), every line unfiltered."""
    stride = width * channels
    lines = b"".join(b"\0" + pixels[start : start + stride] for start in range(0, height * stride, stride))
    header = struct.pack(">IIBBBBB", width, height, 8, _COLOUR_TYPES[channels], 0, 0, 0)
    chunks = ((b"IHDR", header), (b"IDAT", zlib.compress(lines, 9)), (b"IEND", b""))
    return _SIGNATURE + b"".join(
        struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data)) for kind, data in chunks
    )
