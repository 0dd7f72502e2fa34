from __future__ import annotations

import datetime
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Literal, TypeVar, cast

from attrs import define as _attrs_define

from ...displays import DrawnRecord
from ...records import Record
from ..types import UNSET, Unset

if TYPE_CHECKING:
    from ..models.column import Column
    from ..models.dataset_source import DatasetSource
    from ..models.image_columns import ImageColumns


T = TypeVar("T", bound="Dataset")


@_attrs_define(repr=False)
class Dataset(DrawnRecord, Record):
    """A registered dataset.

    Attributes:
        id (str): Id of the dataset, derived from its file and metadata; by reference, from what its files are.
        name (None | str): Name from the metadata; null without one.
        sha256 (str): SHA-256 of the uploaded file, in hexadecimal; by reference, of the list of files.
        size_bytes (int): Size of the uploaded file, or of all files of the source, in bytes.
        n_rows (int): Number of rows.
        n_columns (int): Number of columns of any role.
        n_features (int): Number of columns with the role `feature`.
        target (None | str): Name of the target column; null without one.
        row_id (None | str): Name of the column with the rows' ids; null without one.
        created_at (datetime.datetime): Time of creation, in UTC (RFC 3339).
        columns (list[Column]): All columns, in the order of the file.
        object_ (Literal['dataset'] | Unset): Type of this object. Default: 'dataset'.
        feature_set (None | str | Unset): Id of the feature set whose features the dataset's are; null for uploaded
            datasets.
        source (DatasetSource | None | Unset): Files that hold the rows of a dataset by reference; null where the
            service has them.
        images (list[ImageColumns] | Unset): Images that rows hold, as the metadata declare them.
        ignored_columns (list[str] | Unset): Names of columns of the file that are left out, because they hold lists,
            objects, bytes or durations: other than numbers, texts and booleans.
    """

    id: str
    name: None | str
    sha256: str
    size_bytes: int
    n_rows: int
    n_columns: int
    n_features: int
    target: None | str
    row_id: None | str
    created_at: datetime.datetime
    columns: list[Column]
    object_: Literal["dataset"] | Unset = "dataset"
    feature_set: None | str | Unset = UNSET
    source: DatasetSource | None | Unset = UNSET
    images: list[ImageColumns] | Unset = UNSET
    ignored_columns: list[str] | Unset = UNSET

    def to_dict(self) -> dict[str, Any]:
        from ..models.dataset_source import DatasetSource  # noqa: PLC0415

        id = self.id

        name: None | str
        name = self.name

        sha256 = self.sha256

        size_bytes = self.size_bytes

        n_rows = self.n_rows

        n_columns = self.n_columns

        n_features = self.n_features

        target: None | str
        target = self.target

        row_id: None | str
        row_id = self.row_id

        created_at = self.created_at.isoformat()

        columns = []
        for columns_item_data in self.columns:
            columns_item = columns_item_data.to_dict()
            columns.append(columns_item)

        object_ = self.object_

        feature_set: None | str | Unset
        if isinstance(self.feature_set, Unset):
            feature_set = UNSET
        else:
            feature_set = self.feature_set

        source: dict[str, Any] | None | Unset
        if isinstance(self.source, Unset):
            source = UNSET
        elif isinstance(self.source, DatasetSource):
            source = self.source.to_dict()
        else:
            source = self.source

        images: list[dict[str, Any]] | Unset = UNSET
        if not isinstance(self.images, Unset):
            images = []
            for images_item_data in self.images:
                images_item = images_item_data.to_dict()
                images.append(images_item)

        ignored_columns: list[str] | Unset = UNSET
        if not isinstance(self.ignored_columns, Unset):
            ignored_columns = self.ignored_columns

        field_dict: dict[str, Any] = {}

        field_dict.update(
            {
                "id": id,
                "name": name,
                "sha256": sha256,
                "size_bytes": size_bytes,
                "n_rows": n_rows,
                "n_columns": n_columns,
                "n_features": n_features,
                "target": target,
                "row_id": row_id,
                "created_at": created_at,
                "columns": columns,
            }
        )
        if object_ is not UNSET:
            field_dict["object"] = object_
        if feature_set is not UNSET:
            field_dict["feature_set"] = feature_set
        if source is not UNSET:
            field_dict["source"] = source
        if images is not UNSET:
            field_dict["images"] = images
        if ignored_columns is not UNSET:
            field_dict["ignored_columns"] = ignored_columns

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.column import Column  # noqa: PLC0415
        from ..models.dataset_source import DatasetSource  # noqa: PLC0415
        from ..models.image_columns import ImageColumns  # noqa: PLC0415

        d = dict(src_dict)
        id = d.pop("id")

        def _parse_name(data: object) -> None | str:
            if data is None:
                return data
            return cast(None | str, data)

        name = _parse_name(d.pop("name"))

        sha256 = d.pop("sha256")

        size_bytes = d.pop("size_bytes")

        n_rows = d.pop("n_rows")

        n_columns = d.pop("n_columns")

        n_features = d.pop("n_features")

        def _parse_target(data: object) -> None | str:
            if data is None:
                return data
            return cast(None | str, data)

        target = _parse_target(d.pop("target"))

        def _parse_row_id(data: object) -> None | str:
            if data is None:
                return data
            return cast(None | str, data)

        row_id = _parse_row_id(d.pop("row_id"))

        created_at = datetime.datetime.fromisoformat(d.pop("created_at"))

        columns = []
        _columns = d.pop("columns")
        for columns_item_data in _columns:
            columns_item = Column.from_dict(columns_item_data)

            columns.append(columns_item)

        object_ = cast(Literal["dataset"] | Unset, d.pop("object", UNSET))
        if object_ != "dataset" and not isinstance(object_, Unset):
            raise ValueError(f"object must match const 'dataset', got '{object_}'")

        def _parse_feature_set(data: object) -> None | str | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(None | str | Unset, data)

        feature_set = _parse_feature_set(d.pop("feature_set", UNSET))

        def _parse_source(data: object) -> DatasetSource | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            try:
                if not isinstance(data, dict):
                    raise TypeError()
                source_type_0 = DatasetSource.from_dict(data)

                return source_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(DatasetSource | None | Unset, data)

        source = _parse_source(d.pop("source", UNSET))

        _images = d.pop("images", UNSET)
        images: list[ImageColumns] | Unset = UNSET
        if _images is not UNSET:
            images = []
            for images_item_data in _images:
                images_item = ImageColumns.from_dict(images_item_data)

                images.append(images_item)

        ignored_columns = cast(list[str], d.pop("ignored_columns", UNSET))

        dataset = cls(
            id=id,
            name=name,
            sha256=sha256,
            size_bytes=size_bytes,
            n_rows=n_rows,
            n_columns=n_columns,
            n_features=n_features,
            target=target,
            row_id=row_id,
            created_at=created_at,
            columns=columns,
            object_=object_,
            feature_set=feature_set,
            source=source,
            images=images,
            ignored_columns=ignored_columns,
        )

        return dataset
