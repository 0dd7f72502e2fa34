from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeVar, cast

from attrs import define as _attrs_define

from ...records import Record
from ..types import UNSET, Unset

if TYPE_CHECKING:
    from ..models.column_description import ColumnDescription
    from ..models.dataset_files import DatasetFiles
    from ..models.image_columns import ImageColumns


T = TypeVar("T", bound="SourceDatasetRequest")


@_attrs_define(repr=False)
class SourceDatasetRequest(Record):
    """A dataset whose rows stay in files of a lake.

    Attributes:
        source (DatasetFiles): Where the files of a dataset by reference lie.
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
        settings (str | Unset): `paper`: the fields that are left out have the values of the method's paper, as
            docs/methods.md lists them, instead of these defaults, fields of fields included; what is given, null included,
            stands, but for `method: auto`, which leaves the method to the word, too. Answers show the fields that result,
            so that the id is that of the same request in full. Absent: the defaults.
    """

    source: DatasetFiles
    name: None | str | Unset = UNSET
    target: None | str | Unset = UNSET
    row_id: None | str | Unset = UNSET
    features: list[str] | None | Unset = UNSET
    columns: list[ColumnDescription] | Unset = UNSET
    images: list[ImageColumns] | Unset = UNSET
    settings: str | Unset = UNSET

    def to_dict(self) -> dict[str, Any]:
        source = self.source.to_dict()

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

        settings = self.settings

        field_dict: dict[str, Any] = {}

        field_dict.update(
            {
                "source": source,
            }
        )
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
        if settings is not UNSET:
            field_dict["settings"] = settings

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.column_description import ColumnDescription  # noqa: PLC0415
        from ..models.dataset_files import DatasetFiles  # noqa: PLC0415
        from ..models.image_columns import ImageColumns  # noqa: PLC0415

        d = dict(src_dict)
        source = DatasetFiles.from_dict(d.pop("source"))

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

        settings = d.pop("settings", UNSET)

        source_dataset_request = cls(
            source=source,
            name=name,
            target=target,
            row_id=row_id,
            features=features,
            columns=columns,
            images=images,
            settings=settings,
        )

        return source_dataset_request
