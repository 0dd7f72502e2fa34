from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeVar, cast

from attrs import define as _attrs_define

from ...records import Record
from ..types import UNSET, Unset

if TYPE_CHECKING:
    from ..models.column_description import ColumnDescription
    from ..models.image_columns import ImageColumns


T = TypeVar("T", bound="DatasetMetadata")


@_attrs_define(repr=False)
class DatasetMetadata(Record):
    """The roles of a dataset's columns, what they mean, and how the file is read.

    Attributes:
        name (None | str | Unset): Name of the dataset, shown in lists; null: none.
        target (None | str | Unset): Name of the column with the labels or values to predict; null: none.
        row_id (None | str | Unset): Name of the column with the rows' ids, which must be unique; default: each row's
            0-based index as text.
        features (list[str] | None | Unset): Names of the feature columns in the model's order; default: all columns but
            target and row_id.
        columns (list[ColumnDescription] | Unset): What columns mean, for people; columns that are not listed have no
            description.
        images (list[ImageColumns] | Unset): Images that rows hold; nothing else is taken for an image, but columns
            called `pixel_0_0`, `pixel_0_1`, … (line, place) are shown as one.
        categories (list[str] | Unset): Names of columns whose values are texts, even where they look like numbers or
            truth values, as `01234` and `True`; they are kept as they are written. Needed in CSV, which does not say what a
            value is.
        missing_values (list[str] | Unset): What the file holds where a value is missing, such as `?` or `-999`, in all
            columns but the rows' ids; texts are compared without blanks around them, numbers by their value, so that `-999`
            is `-999.0`, too. Empty cells and null are missing in any case.
        separator (None | str | Unset): What separates the cells of CSV; default: the comma, or, where the header has
            none, whichever of semicolon, tab and `|` it has most. Refused for Parquet and JSON.
    """

    name: None | str | Unset = UNSET
    target: None | str | Unset = UNSET
    row_id: None | str | Unset = UNSET
    features: list[str] | None | Unset = UNSET
    columns: list[ColumnDescription] | Unset = UNSET
    images: list[ImageColumns] | Unset = UNSET
    categories: list[str] | Unset = UNSET
    missing_values: list[str] | Unset = UNSET
    separator: None | str | Unset = UNSET

    def to_dict(self) -> dict[str, Any]:
        name: None | str | Unset
        if isinstance(self.name, Unset):
            name = UNSET
        else:
            name = self.name

        target: None | str | Unset
        if isinstance(self.target, Unset):
            target = UNSET
        else:
            target = self.target

        row_id: None | str | Unset
        if isinstance(self.row_id, Unset):
            row_id = UNSET
        else:
            row_id = self.row_id

        features: list[str] | None | Unset
        if isinstance(self.features, Unset):
            features = UNSET
        elif isinstance(self.features, list):
            features = self.features

        else:
            features = self.features

        columns: list[dict[str, Any]] | Unset = UNSET
        if not isinstance(self.columns, Unset):
            columns = []
            for columns_item_data in self.columns:
                columns_item = columns_item_data.to_dict()
                columns.append(columns_item)

        images: list[dict[str, Any]] | Unset = UNSET
        if not isinstance(self.images, Unset):
            images = []
            for images_item_data in self.images:
                images_item = images_item_data.to_dict()
                images.append(images_item)

        categories: list[str] | Unset = UNSET
        if not isinstance(self.categories, Unset):
            categories = self.categories

        missing_values: list[str] | Unset = UNSET
        if not isinstance(self.missing_values, Unset):
            missing_values = self.missing_values

        separator: None | str | Unset
        if isinstance(self.separator, Unset):
            separator = UNSET
        else:
            separator = self.separator

        field_dict: dict[str, Any] = {}

        field_dict.update({})
        if name is not UNSET:
            field_dict["name"] = name
        if target is not UNSET:
            field_dict["target"] = target
        if row_id is not UNSET:
            field_dict["row_id"] = row_id
        if features is not UNSET:
            field_dict["features"] = features
        if columns is not UNSET:
            field_dict["columns"] = columns
        if images is not UNSET:
            field_dict["images"] = images
        if categories is not UNSET:
            field_dict["categories"] = categories
        if missing_values is not UNSET:
            field_dict["missing_values"] = missing_values
        if separator is not UNSET:
            field_dict["separator"] = separator

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.column_description import ColumnDescription  # noqa: PLC0415
        from ..models.image_columns import ImageColumns  # noqa: PLC0415

        d = dict(src_dict)

        def _parse_name(data: object) -> None | str | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(None | str | Unset, data)

        name = _parse_name(d.pop("name", UNSET))

        def _parse_target(data: object) -> None | str | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(None | str | Unset, data)

        target = _parse_target(d.pop("target", UNSET))

        def _parse_row_id(data: object) -> None | str | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(None | str | Unset, data)

        row_id = _parse_row_id(d.pop("row_id", UNSET))

        def _parse_features(data: object) -> list[str] | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            try:
                if not isinstance(data, list):
                    raise TypeError()
                features_type_0 = cast(list[str], data)

                return features_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(list[str] | None | Unset, data)

        features = _parse_features(d.pop("features", UNSET))

        _columns = d.pop("columns", UNSET)
        columns: list[ColumnDescription] | Unset = UNSET
        if _columns is not UNSET:
            columns = []
            for columns_item_data in _columns:
                columns_item = ColumnDescription.from_dict(columns_item_data)

                columns.append(columns_item)

        _images = d.pop("images", UNSET)
        images: list[ImageColumns] | Unset = UNSET
        if _images is not UNSET:
            images = []
            for images_item_data in _images:
                images_item = ImageColumns.from_dict(images_item_data)

                images.append(images_item)

        categories = cast(list[str], d.pop("categories", UNSET))

        missing_values = cast(list[str], d.pop("missing_values", UNSET))

        def _parse_separator(data: object) -> None | str | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(None | str | Unset, data)

        separator = _parse_separator(d.pop("separator", UNSET))

        dataset_metadata = cls(
            name=name,
            target=target,
            row_id=row_id,
            features=features,
            columns=columns,
            images=images,
            categories=categories,
            missing_values=missing_values,
            separator=separator,
        )

        return dataset_metadata
