from typing import Literal

ImageColumnsChannels = Literal[1, 3]

IMAGE_COLUMNS_CHANNELS_VALUES: set[ImageColumnsChannels] = {
    1,
    3,
}


def check_image_columns_channels(value: int) -> ImageColumnsChannels:
    if value in IMAGE_COLUMNS_CHANNELS_VALUES:
        return value
    raise TypeError(f"Unexpected value {value!r}. Expected one of {IMAGE_COLUMNS_CHANNELS_VALUES!r}")
