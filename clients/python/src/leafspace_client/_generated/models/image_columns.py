from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, cast

from attrs import define as _attrs_define

from ...records import Record
from ..models.image_columns_channels import ImageColumnsChannels, check_image_columns_channels
from ..types import UNSET, Unset

T = TypeVar("T", bound="ImageColumns")


@_attrs_define(repr=False)
class ImageColumns(Record):
    """Columns that are the pixels of an image.

    Attributes:
        columns (list[str]): Names of the columns, line by line from the top, the channels of a pixel side by side:
            `width` x `height` x `channels` of them.
        width (int): Pixels of a line.
        height (int): Lines.
        channels (ImageColumnsChannels | Unset): Values of a pixel: 1 (grey) or 3 (red, green, blue). Default: 1.
        highest (float | Unset): The value of white; 0 is black. Default: 255.0.
    """

    columns: list[str]
    width: int
    height: int
    channels: ImageColumnsChannels | Unset = 1
    highest: float | Unset = 255.0

    def to_dict(self) -> dict[str, Any]:
        columns = self.columns

        width = self.width

        height = self.height

        channels: int | Unset = UNSET
        if not isinstance(self.channels, Unset):
            channels = self.channels

        highest = self.highest

        field_dict: dict[str, Any] = {}

        field_dict.update(
            {
                "columns": columns,
                "width": width,
                "height": height,
            }
        )
        if channels is not UNSET:
            field_dict["channels"] = channels
        if highest is not UNSET:
            field_dict["highest"] = highest

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        columns = cast(list[str], d.pop("columns"))

        width = d.pop("width")

        height = d.pop("height")

        _channels = d.pop("channels", UNSET)
        channels: ImageColumnsChannels | Unset
        if isinstance(_channels, Unset):
            channels = UNSET
        else:
            channels = check_image_columns_channels(_channels)

        highest = d.pop("highest", UNSET)

        image_columns = cls(
            columns=columns,
            width=width,
            height=height,
            channels=channels,
            highest=highest,
        )

        return image_columns
