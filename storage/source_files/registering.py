"""Registering files: from the address that a caller names to the manifest, or to a refusal that says what to change."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import pyarrow as pa

from ..dataset_files import DatasetFile
from ..dataset_files.layout import ColumnLayout, refuse_columns, shown
from ..dataset_files.quantiles import RowSample
from ..errors import DatasetRefused
from ..manifests import Manifest, SourceFile
from .distinct import count_distinct, first_repeat
from .locations import ListedFile
from .part_facts import NATURAL, Agreement, PartFacts, agreed_types, as_json, differing, merged_columns, uncounted
from .roots import Pattern
from .sources import SourceFiles

Report = Callable[[float, str], None]


class ManifestParts:
    """The parts of a dataset by reference, each fetched when it is first read."""

    def __init__(self, manifest: Manifest, sources: SourceFiles) -> None:
        self._manifest = manifest
        self._sources = sources
        self.columns = tuple(
            ColumnLayout(column["name"], column["type"], column["role"], index)
            for index, column in enumerate(manifest.columns)
        )
        self.group_rows = [file.group_rows for file in manifest.files]

    def path(self, part: int) -> Path:
        """Return the normalised form of a file, for a reader who opens it soon."""
        return self._sources.part(self._manifest, part)

    def footer(self, part: int) -> None:
        """Return nothing: it is read from the file."""


def make_manifest(sources: SourceFiles, files: str, declared: Agreement, report: Report, workspace: Path) -> Manifest:
    """Return the manifest of the files that an address names: the same for the same files.

    Parameters
    ----------
    sources
        The files that may be read.
    files
        Their address, with stars.
    declared
        What the columns are for.
    report
        Called with the share of the work that is done, from 0 to 1, and its stage.
    workspace
        Where distinct texts are counted.

    Raises
    ------
    DatasetRefused
        Codes ``dataset_*`` and ``unsupported_media_type``; the detail names the file.
    DatasetChanged
        Where a file changes while it is read.
    """
    report(0.0, "listing files")
    pattern = sources.roots.pattern(files)
    listed_files = sources.find(pattern)

    def report_files(n_done: int) -> None:
        report(0.9 * n_done / len(listed_files), f"reading file {n_done + 1:,} of {len(listed_files):,}")

    report_files(0)
    first = sources.read(pattern, listed_files[:1], declared, report_files)
    agreement = replace(declared, names=first[0].names)
    facts = first + sources.read(pattern, listed_files[1:], agreement, lambda n_done: report_files(n_done + 1))
    manifest = _agreed_manifest(sources, pattern, listed_files, facts, agreement)
    report(0.9, "counting distinct values")
    return _with_facts(sources, manifest[0], manifest[1], workspace)


def _agreed_manifest(
    sources: SourceFiles,
    pattern: Pattern,
    files: Sequence[ListedFile],
    facts: Sequence[PartFacts],
    agreement: Agreement,
) -> tuple[Manifest, list[PartFacts]]:
    """Return the manifest but for what is known of all files together; files that differ in types are read again."""
    types = agreed_types([(file.name, part) for file, part in zip(files, facts, strict=True)])
    parts: list[PartFacts] = []
    registered: list[SourceFile] = []
    for file, part in zip(files, facts, strict=True):
        differs, agreed = None, part
        if names := differing(part, types):
            narrower = agreement.for_one(names, types)
            differs = {"texts": list(narrower.texts), "types": dict(narrower.types or {})}
            (agreed,) = sources.read(pattern, [file], narrower, lambda _: None)
        parts.append(agreed)
        registered.append(SourceFile(file.name, file.size_bytes, agreed.tag, agreed.group_rows, differs))
    if not any(part.n_rows for part in parts):
        raise DatasetRefused("dataset_empty", "the files have no row; register some with at least one", "/source/files")
    names = agreement.names or ()
    root, columns = pattern.root.url, tuple(dict(column) for column in parts[0].columns)
    manifest = Manifest(root, agreement.target, agreement.row_id, agreement.features, names, columns, tuple(registered))
    return manifest, parts


def _with_facts(sources: SourceFiles, manifest: Manifest, parts: Sequence[PartFacts], workspace: Path) -> Manifest:
    """Return the manifest with the summary of each column over all files."""
    if len(parts) == 1:
        summaries = tuple({name: column[name] for name in column if name != NATURAL} for column in parts[0].columns)
        return replace(manifest, columns=summaries)
    n_distinct = {name: _n_distinct(sources, manifest, name, workspace) for name in uncounted(parts)}
    columns = ManifestParts(manifest, sources).columns
    sample = RowSample(columns)
    for table in _tables(sources, manifest, [column.name for column in columns if column.type == "number"]):
        sample.add(table)
    return replace(manifest, columns=as_json(merged_columns(parts, n_distinct, sample)))


def _tables(sources: SourceFiles, manifest: Manifest, names: Sequence[str]) -> Iterator[pa.Table]:
    with DatasetFile(ManifestParts(manifest, sources)) as file:
        yield from file.tables(names) if names else ()


def _n_distinct(sources: SourceFiles, manifest: Manifest, name: str, workspace: Path) -> int:
    def blocks() -> Iterator[pa.ChunkedArray]:
        return (table.column(0) for table in _tables(sources, manifest, [name]))

    n_distinct, repeated = count_distinct(blocks(), workspace)
    if name == manifest.row_id and n_distinct < manifest.n_rows:
        text, first, again = first_repeat(blocks(), repeated)
        refuse_columns(
            f"the row_id column {shown(name)} holds {shown(text)} in row {first} and again in row {again} (counted "
            "from 0 over all files); each row needs an id of its own"
        )
    return n_distinct
