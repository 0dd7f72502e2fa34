"""Make a dataset: the features of a set, evaluated for all examples of a relational dataset."""

from collections.abc import Mapping
from typing import Any

from explanations.feature_sets import open_feature_set
from schemas.nouns import DATASETS
from storage.artefacts import ArtefactStore
from storage.object_store import ObjectStore
from storage.publications import Publication
from storage.relational_datasets import RelationalDatasetStore
from tree_explainers.compute.progress import part_of

from ..runtime.context import JobContext, Produced
from .feature_columns import evaluate_table, write_dataset
from .relational_inputs import load_relational_rows

# Shares of the job's progress, which goes from 0 to 1 and never back.
_READING = (0.0, 0.4)
_EVALUATING = (0.4, 0.8)
_WRITING = 0.8  # to the end


def make_dataset(context: JobContext) -> Produced:
    """Publish the dataset that the job names, of a feature set and a relational dataset of the same schema."""
    request: Mapping[str, Any] = context.request
    tables = RelationalDatasetStore(context.database)
    opened = open_feature_set(ArtefactStore(context.database), tables, context.objects, request["feature_set"])
    read = load_relational_rows(context, request["relational_dataset"], part_of(context.report, *_READING))
    table = evaluate_table(opened.features, opened.described, read, part_of(context.report, *_EVALUATING))
    context.report(_WRITING, "writing the dataset")
    name = f"features of {read.view.name or read.view.id}"
    dataset = write_dataset(table, opened.id, name, context.workspace / f"{DATASETS.singular}.parquet")

    def publish(objects: ObjectStore) -> Publication:
        return Publication(dataset=dataset.keep(objects))

    return Produced(None, publish=publish)
