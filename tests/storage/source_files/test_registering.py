"""Files that are registered hold what one upload of all of them would, and are noticed when they change."""

import json
import os
from collections.abc import Callable, Iterable, Iterator
from dataclasses import asdict
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from storage.dataset_files import BLOCK_ROWS, DatasetFile, DatasetLimits, DeclaredColumns, read_upload
from storage.errors import DatasetChanged, DatasetRefused, StorageError
from storage.manifests import Manifest
from storage.source_files.part_facts import Agreement
from storage.source_files.registering import ManifestParts, make_manifest
from storage.source_files.sources import SourceFiles, SourceSettings
from tests.support.naive_sources import read_joined

_DECLARED = DeclaredColumns(target="label", row_id="id")


@pytest.fixture
def lake(tmp_path: Path) -> Path:
    folder = tmp_path / "lake"
    folder.mkdir()
    return folder


@pytest.fixture
def sources(lake: Path, tmp_path: Path) -> SourceFiles:
    return SourceFiles(SourceSettings((f"file://{lake}",), tmp_path / "cache"))


def _register(sources: SourceFiles, lake: Path, declared: DeclaredColumns = _DECLARED) -> Manifest:
    agreement = Agreement(declared.target, declared.row_id, declared.features)
    return make_manifest(sources, f"file://{lake}/*.parquet", agreement, lambda _share, _stage: None, lake.parent)


def _rows(manifest: Manifest, sources: SourceFiles) -> list[dict[str, Any]]:
    with DatasetFile(ManifestParts(manifest, sources)) as file:
        return file.take(range(file.n_rows))


def _plain(columns: Iterable[dict[str, Any]]) -> Any:  # JSON
    return json.loads(json.dumps(list(columns)))


def _part(part: int, n_rows: int, **columns: Any) -> pa.Table:  # of any type
    rng = np.random.default_rng(part)
    own: dict[str, Any] = {
        "id": [f"{part}-{row}" for row in range(n_rows)],
        "x": rng.normal(size=n_rows),
        "kind": rng.choice(["a", "b", f"only {part}"], n_rows),
        "note": [f"note {part} {row % 700}" for row in range(n_rows)],  # 700 in each, over 1,000 in all
        "is_new": rng.random(n_rows) < 0.5,
        "account": rng.integers(0, 99, n_rows),
        "seldom": pa.nulls(n_rows),
        "label": rng.integers(0, 2, n_rows),
    }
    return pa.table(own | columns)


def _write(lake: Path, *parts: pa.Table) -> list[Path]:
    paths = [lake / f"{number}.parquet" for number in range(len(parts))]
    for path, table in zip(paths, parts, strict=True):
        pq.write_table(table, path, row_group_size=400)
    return paths


def test_files_hold_what_one_upload_of_all_of_them_would(sources: SourceFiles, lake: Path, tmp_path: Path) -> None:
    third = _part(2, 900, account=[2**60 + row for row in range(900)], seldom=["here", *[None] * 899])
    paths = _write(lake, _part(0, 1000), _part(1, 0), third.select(sorted(third.column_names)), _part(3, 1))

    manifest = _register(sources, lake)
    read, rows = read_joined(paths, _DECLARED, tmp_path)

    assert _plain(manifest.columns) == _plain(asdict(column) for column in read.columns)
    assert (manifest.n_rows, len(manifest.files)) == (1901, 4)
    assert _rows(manifest, sources) == rows
    # From its bytes alone, in a process that has read nothing yet.
    other = SourceFiles(SourceSettings((f"file://{tmp_path}",), tmp_path / "other"))
    assert _rows(Manifest.of_json(manifest.to_json()), other) == rows
    # The same files again: the same manifest, whose hash is the dataset's id.
    assert _register(sources, lake).to_json() == manifest.to_json()


@pytest.mark.long
def test_features_and_files_without_ids_are_as_declared(sources: SourceFiles, lake: Path, tmp_path: Path) -> None:
    declared = DeclaredColumns(features=("account", "x"))
    paths = _write(lake, _part(0, 5), _part(1, 4))

    manifest = _register(sources, lake, declared)
    read, rows = read_joined(paths, declared, tmp_path)

    assert _plain(manifest.columns) == _plain(asdict(column) for column in read.columns)
    assert _rows(manifest, sources) == rows


@pytest.mark.long
def test_files_of_csv_hold_what_one_upload_of_all_of_them_would(
    sources: SourceFiles, lake: Path, tmp_path: Path
) -> None:
    (lake / "0.csv").write_text("x,kind,account,new\n1.5,a,007,true\n,,010,false\n")
    (lake / "1.csv").write_text("x,kind,account,new\n3,b,100,\n")
    (tmp_path / "joined").write_text("x,kind,account,new\n1.5,a,007,true\n,,010,false\n3,b,100,\n")

    agreement = Agreement(None, None, None)
    manifest = make_manifest(sources, f"file://{lake}/*.csv", agreement, lambda _share, _stage: None, tmp_path)
    read = read_upload(tmp_path / "joined", None, DeclaredColumns(), DatasetLimits(), tmp_path / "content")

    assert _plain(manifest.columns) == _plain(asdict(column) for column in read.columns)
    with DatasetFile(tmp_path / "content") as file:
        assert _rows(manifest, sources) == file.take(range(3))


def _with(**columns: Any) -> Callable[[Path], None]:  # of any type
    return lambda lake: pq.write_table(_part(1, 3, **columns), lake / "1.parquet")


def _cut(lake: Path) -> None:
    pq.write_table(_part(1, 3), lake / "1.parquet")
    os.truncate(lake / "1.parquet", 900)


def _lie(lake: Path) -> None:
    """Let the file say that its footer is longer than the file."""
    pq.write_table(_part(1, 3), lake / "1.parquet")
    data = (lake / "1.parquet").read_bytes()
    (lake / "1.parquet").write_bytes(data[:-8] + (2**31 - 1).to_bytes(4, "little") + b"PAR1")


_REFUSED: dict[str, tuple[Callable[[Path], object], str, str]] = {
    "two types": (
        _with(x=["a", "b", "c"]),
        "dataset_bad_columns",
        "'x' is of type number in file '0.par.*'1.par",
    ),
    "a missing column": (
        lambda lake: pq.write_table(_part(1, 3).drop_columns(["kind"]), lake / "1.parquet"),
        "dataset_bad_columns",
        "file '1.parquet': there is no column 'kind'",
    ),
    "one more column": (
        _with(more=[1, 2, 3]),
        "dataset_bad_columns",
        "the first file has no .*'more'",
    ),
    "an id twice": (_with(id=["1-0", "0-2", "1-2"]), "dataset_bad_columns", "'0-2' in row 2 and again in row 4"),
    "damage": (_cut, "dataset_parse_error", "file '1.parquet': "),
    "a lie": (_lie, "dataset_parse_error", "file '1.parquet': "),
    "another form": (lambda lake: (lake / "1.parquet").write_text("{"), "", "file '1.parquet': "),
}
_QUICK = {"two types", "an id twice", "damage"}


@pytest.mark.parametrize(
    "fault", [name if name in _QUICK else pytest.param(name, marks=pytest.mark.long) for name in _REFUSED]
)
def test_a_file_that_does_not_fit_is_refused_by_its_name(sources: SourceFiles, lake: Path, fault: str) -> None:
    spoil, code, detail = _REFUSED[fault]
    _write(lake, _part(0, 3))
    spoil(lake)

    with pytest.raises(DatasetRefused, match=detail) as refusal:
        _register(sources, lake)
    assert refusal.value.code.startswith(code)


@pytest.mark.long
def test_a_file_that_decodes_to_gigabytes_is_refused(sources: SourceFiles, lake: Path) -> None:
    texts = pa.DictionaryArray.from_arrays(pa.array(np.zeros(200_000, np.int32)), pa.array(["x" * 100_000]))
    pq.write_table(pa.table({"a": texts}), lake / "0.parquet", compression="zstd")

    with pytest.raises(DatasetRefused, match=r"file '0\.parquet': ") as refusal:
        _register(sources, lake, DeclaredColumns())
    assert refusal.value.code == "dataset_too_large"


def test_no_file_and_files_without_rows_are_no_dataset(sources: SourceFiles, lake: Path) -> None:
    with pytest.raises(DatasetRefused, match="no file has an address such as") as refusal:
        _register(sources, lake)
    assert refusal.value.code == "dataset_empty"

    _write(lake, _part(0, 0))
    with pytest.raises(DatasetRefused, match="the files have no row"):
        _register(sources, lake)


def test_a_file_that_has_changed_is_named_whether_it_was_read_before_or_not(
    sources: SourceFiles, lake: Path, tmp_path: Path
) -> None:
    _write(lake, _part(0, 3), _part(1, 3), _part(2, 3))
    manifest, path = _register(sources, lake), lake / "1.parquet"
    before, status = path.read_bytes(), path.stat()
    fresh = SourceFiles(SourceSettings((f"file://{lake}",), tmp_path / "fresh"))

    path.write_bytes(before[:50] + bytes([before[50] ^ 1]) + before[51:])
    os.utime(path, ns=(status.st_atime_ns, status.st_mtime_ns))  # by its time and size it is the same
    for reader in (sources, fresh):
        with pytest.raises(DatasetChanged, match=r"'1\.parquet' has changed"):
            _rows(manifest, reader)

    path.write_bytes(before + b" ")
    for reader in (sources, fresh):
        with pytest.raises(DatasetChanged, match=r"'1\.parquet' has changed"):
            _rows(manifest, reader)

    path.unlink()
    for reader in (sources, fresh):
        with pytest.raises(DatasetChanged, match=r"'1\.parquet' is gone"):
            _rows(manifest, reader)
        with DatasetFile(ManifestParts(manifest, reader)) as file:
            assert file.read_columns(["id"], 6, 9)[0].tolist() == ["2-0", "2-1", "2-2"]  # the others are still served

    path.write_bytes(before)  # restored, at another time
    assert len(_rows(manifest, sources)) == 9


def _cut_in_half(path: Path) -> None:
    os.truncate(path, path.stat().st_size // 2)


@pytest.mark.parametrize("file", ["part.parquet", "facts.json"])
@pytest.mark.parametrize("damage", [Path.unlink, _cut_in_half], ids=["killed", "without power"])
def test_what_a_process_or_a_machine_left_of_a_part_is_made_again(
    sources: SourceFiles, lake: Path, tmp_path: Path, file: str, damage: Callable[[Path], None]
) -> None:
    _write(lake, _part(0, 3))
    manifest = _register(sources, lake)
    rows = _rows(manifest, sources)
    (kept,) = (tmp_path / "cache").glob("??/*")
    size_bytes = (kept / file).stat().st_size
    damage(kept / file)

    assert _rows(manifest, sources) == rows
    assert _rows(manifest, SourceFiles(SourceSettings((f"file://{lake}",), tmp_path / "cache"))) == rows
    assert (kept / file).stat().st_size == size_bytes


def test_a_file_whose_name_is_no_text_is_refused(sources: SourceFiles, lake: Path) -> None:
    (path,) = _write(lake, _part(0, 3))
    path.rename(lake / os.fsdecode(b"\xff.parquet"))

    with pytest.raises(StorageError, match="is not UTF-8; rename the file") as refusal:
        _register(sources, lake)
    assert refusal.value.code == "source_not_allowed"


def test_rows_are_not_read_once_the_root_is_not_allowed(sources: SourceFiles, lake: Path, tmp_path: Path) -> None:
    _write(lake, _part(0, 3))
    manifest = _register(sources, lake)

    with pytest.raises(StorageError) as refusal:
        _rows(manifest, SourceFiles(SourceSettings((), tmp_path / "cache")))
    assert refusal.value.code == "source_not_allowed"


def test_while_one_file_is_read_others_are_served_from_the_cache_or_refused_for_a_moment(
    sources: SourceFiles, lake: Path, tmp_path: Path
) -> None:
    _write(lake, _part(0, 3), _part(1, 3))
    manifest = _register(sources, lake)
    settings = SourceSettings((f"file://{lake}",), tmp_path / "fresh", patience_seconds=0.01)
    hasty = SourceFiles(settings)
    kept = hasty.part(manifest, 0)

    with hasty._turn():
        assert hasty.part(manifest, 0) == kept
        with pytest.raises(StorageError, match=r"other files .* are being read; try again") as refusal:
            hasty.part(manifest, 1)

    assert refusal.value.code == "unavailable"
    assert hasty.part(manifest, 1).is_file()


def test_blocks_are_cut_at_the_same_rows_whatever_the_files(sources: SourceFiles, lake: Path) -> None:
    lengths = (BLOCK_ROWS - 5, 3, BLOCK_ROWS + 10)
    for number, n_rows in enumerate(lengths):
        texts = ["a", None] * (n_rows // 2) + ["b"] * (n_rows % 2)
        table = pa.table({"row": np.arange(n_rows) + sum(lengths[:number]), "text": texts})
        pq.write_table(table, lake / f"{number}.parquet")
    manifest = _register(sources, lake, DeclaredColumns())

    def blocks(start: int, stop: int | None) -> Iterator[list[float]]:
        with DatasetFile(ManifestParts(manifest, sources)) as file:
            for numbers, texts in file.blocks(["row", "text"], start, stop):
                assert len(numbers) == len(texts)
                yield numbers.tolist()

    n_rows = sum(lengths)
    cuts = [0, BLOCK_ROWS, 2 * BLOCK_ROWS, n_rows]
    assert list(blocks(0, None)) == [list(range(*cut)) for cut in pairwise(cuts)]
    assert list(blocks(BLOCK_ROWS - 1, BLOCK_ROWS + 1)) == [[BLOCK_ROWS - 1], [BLOCK_ROWS]]
    assert list(blocks(n_rows, None)) == []


@pytest.mark.long
def test_the_cache_forgets_what_was_used_least_recently_and_makes_it_again(lake: Path, tmp_path: Path) -> None:
    paths = _write(lake, _part(0, 50), _part(1, 50))
    sources = SourceFiles(SourceSettings((f"file://{lake}",), tmp_path / "cache", cache_bytes=0))
    manifest = _register(sources, lake)
    kept = sources.cache.size_bytes()

    sources.cache.free_space()
    assert sources.cache.size_bytes() == kept > 0  # somebody may be about to open it

    for part in (tmp_path / "cache").glob("??/*"):
        os.utime(part, (0, 0))
    sources.cache.free_space()
    assert sources.cache.size_bytes() == 0
    assert _rows(manifest, sources) == read_joined(paths, _DECLARED, tmp_path)[1]
