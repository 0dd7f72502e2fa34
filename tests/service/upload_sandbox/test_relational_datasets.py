"""Several tables read by one real child process, confined as any other."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from sandbox.messages import upload_of_table
from schemas.relational_datasets import RelationalDatasetMetadata
from service.upload_sandbox.runner import UploadReader
from service.upload_sandbox.settings import UploadReaderSettings
from storage.array_files import map_file
from storage.dataset_files import DatasetLimits
from storage.errors import DatasetRefused
from storage.relational_files import read_column

_SETTINGS = UploadReaderSettings()
_TABLES = {"p": b"id\n1\n2\n", "c": b"p_id,v\n2,0.5\n,1\n", "d": b"c\n\x00\n"}


def _metadata(*names: str) -> dict[str, Any]:
    tables = [{"name": name} for name in names]
    given = {"examples": {"table": names[0]}, "tables": tables}
    return RelationalDatasetMetadata.model_validate(given).model_dump(mode="json")


def _written(folder: Path, *names: str) -> Path:
    for index, name in enumerate(names):
        (folder / upload_of_table(index)).write_bytes(_TABLES[name])
    return folder


def test_one_child_reads_all_tables(tmp_path: Path) -> None:
    read = UploadReader(_SETTINGS).read_relational_dataset(_written(tmp_path, "p", "c"), _metadata("p", "c"))

    np.testing.assert_array_equal(map_file(read.arrays)["parents/c.p_id"], [1, -1])
    assert read_column(read.contents[1], "v").to_pylist() == [0.5, 1]
    assert [table["name"] for table in read.summary["tables"]] == ["p", "c"]


def test_a_refusal_keeps_its_pointer(tmp_path: Path) -> None:
    with pytest.raises(DatasetRefused) as refused:
        UploadReader(_SETTINGS).read_relational_dataset(_written(tmp_path, "p", "d"), _metadata("p", "d"))

    assert (refused.value.code, refused.value.pointer) == ("dataset_parse_error", "/metadata/tables/1")
    assert "table 'd': line 2 holds a NUL" in refused.value.detail


def test_limits_are_of_all_tables_together(tmp_path: Path) -> None:
    settings = replace(_SETTINGS, relational_limits=DatasetLimits(max_rows=3))

    with pytest.raises(DatasetRefused) as refused:
        UploadReader(settings).read_relational_dataset(_written(tmp_path, "p", "c"), _metadata("p", "c"))

    assert (refused.value.code, refused.value.pointer) == ("too_many_rows", "/metadata/tables/1")


def test_a_child_that_uses_up_its_memory_is_refused_by_its_size(tmp_path: Path) -> None:
    allowance = replace(_SETTINGS.relational_dataset, n_memory_bytes=160 * 1024**2, n_memory_bytes_per_byte=0)
    rows = b"id,w\n" + b"".join(b"%d,%d\n" % (row, row) for row in range(3_000_000))
    (tmp_path / upload_of_table(0)).write_bytes(rows)

    with pytest.raises(DatasetRefused) as refused:
        UploadReader(replace(_SETTINGS, relational_dataset=allowance)).read_relational_dataset(tmp_path, _metadata("p"))

    assert refused.value.code == "dataset_too_large"
