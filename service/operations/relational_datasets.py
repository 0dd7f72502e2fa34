"""Register, read and delete relational datasets."""

from collections.abc import Collection, Sequence
from typing import BinaryIO
from urllib.parse import unquote

from schemas.relational_datasets import RelationalDataset, RelationalDatasetMetadata
from storage.relational_datasets import NewRelationalDataset, NewTable
from storage.relational_files import RelationalDeclaration, check_declaration

from ..app_context import AppContext
from .deletion import delete_with_objects
from .uploads import TablesUpload, received_tables

_SUFFIX, _FOLDERS = ".", "/\\"


def table_name(file_name: str, declared: Collection[str]) -> str:
    """Return the name of the table that a file of this name holds: that without folders and suffix.

    Forms write quotes as %22, and names with slashes would look like folders: where no table is declared under the name
    as it is, but one under what its percent-encoding means, it is that table.
    """
    for separator in _FOLDERS:
        file_name = file_name.rpartition(separator)[2]
    name = file_name.rpartition(_SUFFIX)[0] or file_name
    decoded = unquote(name)
    return decoded if name not in declared and decoded in declared else name


def register_relational_dataset(
    context: AppContext, files: Sequence[tuple[str, BinaryIO]], metadata: RelationalDatasetMetadata
) -> tuple[RelationalDataset, bool]:
    """Read and keep a relational dataset; return it, and whether it is new. ``files`` come with their names.

    Raises
    ------
    DatasetRefused
        What is wrong with it, and where; nothing is kept then.
    """
    declared = RelationalDeclaration.from_json(metadata.model_dump(mode="json"))
    names = [table.name for table in declared.tables]
    by_table = [(table_name(name, names), file) for name, file in files]
    check_declaration(declared, [name for name, _ in by_table])
    in_order = sorted(by_table, key=lambda pair: declared.table(pair[0]).index)
    with received_tables(context.objects, [file for _, file in in_order], metadata) as upload:
        known = context.relational_datasets.find(upload.id)
        return (known, False) if known else _read_and_keep(context, upload)


def delete_relational_dataset(context: AppContext, dataset_id: str) -> None:
    """Delete a relational dataset that nothing depends on."""
    delete_with_objects(context, lambda: context.relational_datasets.delete(dataset_id))


def _read_and_keep(context: AppContext, upload: TablesUpload) -> tuple[RelationalDataset, bool]:
    read = context.upload_reader.read_relational_dataset(upload.folder, upload.metadata)
    sizes = [path.stat().st_size for path in upload.paths]
    names = [table["name"] for table in read.summary["tables"]]
    with context.objects.keeping():
        put = context.objects.put_file
        files = zip(names, upload.paths, sizes, read.contents, strict=True)
        dataset = NewRelationalDataset(
            id=upload.id,
            name=upload.metadata["name"],
            tables=[NewTable(name, put(path), size, put(content)) for name, path, size, content in files],
            arrays=put(read.arrays),
            summary=read.summary,
            metadata=upload.metadata,
        )
        context.loops.load_soon()  # what is made of its rows needs them
        return context.relational_datasets.add(dataset)
