"""Make a dataset: of the features of a set, evaluated for all examples of a relational dataset, or of source files."""

from collections.abc import Mapping
from typing import Any

from explanations.feature_sets import open_feature_set
from schemas.datasets import DATASETS
from schemas.identifiers import content_identifier
from storage.artefacts import ArtefactStore
from storage.datasets import NewDataset, described
from storage.object_store import ObjectStore
from storage.publications import Publication
from storage.relational_datasets import RelationalDatasetStore
from storage.source_files.part_facts import Agreement
from storage.source_files.registering import make_manifest
from tree_explainers.compute.progress import part_of

from ..runtime.context import JobContext, Produced
from .feature_columns import evaluate_table, write_dataset
from .relational_inputs import load_relational_rows

# Shares of the job's progress, which goes from 0 to 1 and never back.
_READING = (0.0, 0.4)
_EVALUATING = (0.4, 0.8)
_WRITING = 0.8  # to the end


def make_dataset(context: JobContext) -> Produced:
    """Publish the dataset that the job names: of a feature set and relational data of its schema, or of files."""
    request: Mapping[str, Any] = context.request
    if "source" in request:
        return _register_source(context, request)
    tables = RelationalDatasetStore(context.database)
    opened = open_feature_set(ArtefactStore(context.database), tables, context.objects, request["feature_set"])
    report = part_of(context.report, *_READING)
    read = load_relational_rows(context, request["relational_dataset"], report, first=opened.relational_dataset)
    table = evaluate_table(opened.features, opened.described, read, part_of(context.report, *_EVALUATING))
    context.report(_WRITING, "writing the dataset")
    name = f"features of {read.view.name or read.view.id}"
    dataset = write_dataset(table, opened.id, name, context.workspace / f"{DATASETS.singular}.parquet")

    def publish(objects: ObjectStore) -> Publication:
        return Publication(dataset=dataset.keep(objects))

    return Produced(None, publish=publish)


def _register_source(context: JobContext, request: Mapping[str, Any]) -> Produced:
    """Publish the dataset of the files that an address names; its id is the hash of what these are."""
    metadata = {name: request[name] for name in ("name", "target", "row_id", "features")}
    metadata |= {name: request[name] for name in ("columns", "images", "held_out") if request.get(name)}
    features = None if metadata["features"] is None else tuple(metadata["features"])
    declared = Agreement(metadata["target"], metadata["row_id"], features)
    address = request["source"]["files"]
    manifest = make_manifest(context.objects.sources, address, declared, context.report, context.workspace)

    def publish(objects: ObjectStore) -> Publication:
        sha256 = objects.put(manifest.to_json())
        dataset = NewDataset(
            id=content_identifier(DATASETS.name, sha256, metadata),
            name=metadata["name"],
            sha256=sha256,
            size_bytes=manifest.size_bytes,
            content=sha256,
            summary=described({"n_rows": manifest.n_rows, "columns": manifest.columns}, metadata),
            metadata=metadata,
            source={"files": address, "n_files": len(manifest.files)},
        )
        return Publication(dataset=dataset, is_artefact=True)

    return Produced(None, publish=publish)
