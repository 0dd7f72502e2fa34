"""Register, read and delete models."""

from typing import Any, BinaryIO

import orjson

from schemas.contract import Page
from schemas.models import Model, ModelMetadata, ModelSummary
from storage.models import NewModel
from tree_explainers.onnx_models.sniffing import HEAD_BYTES, sniff_model

from ..app_context import AppContext
from .deletion import delete_with_objects
from .uploads import Upload, received


def register_model(context: AppContext, file: BinaryIO, metadata: ModelMetadata) -> tuple[Model, bool]:
    """Vet and keep a model; return it, and whether it is new.

    Raises
    ------
    ModelRefused
        What is wrong with it; nothing is kept then.
    """
    sniff_model(file.read(HEAD_BYTES))
    file.seek(0)
    with received(context.objects, file, "models", metadata) as upload:
        known = context.models.find(upload.id)
        return (known, False) if known else _vet_and_keep(context, upload)


def list_models(context: AppContext, limit: int, cursor: str | None) -> Page[ModelSummary]:
    """Return one page of models, newest first."""
    return context.models.list(limit, cursor)


def get_model(context: AppContext, model_id: str) -> Model:
    """Return a model."""
    return context.models.get(model_id).view


def write_model(context: AppContext, model_id: str) -> bytes:
    """Return a model as JSON: a ``Model``."""
    return orjson.dumps(context.models.document(model_id))


def model_bytes(context: AppContext, model_id: str) -> int:
    """Return how large a model's description is as JSON; raise ``NotFound`` where there is none."""
    return context.models.n_bytes(model_id)


def delete_model(context: AppContext, model_id: str) -> None:
    """Forget a model that nothing is built on."""
    delete_with_objects(context, lambda: context.models.delete(model_id))
    context.sessions.forget(model_id)


def _vet_and_keep(context: AppContext, upload: Upload) -> tuple[Model, bool]:
    vetted = context.upload_reader.read_model(upload.path, upload.metadata)
    size_bytes = upload.size_bytes
    with context.objects.keeping():
        model = NewModel(
            id=upload.id,
            name=upload.metadata["name"],
            sha256=context.objects.put_file(upload.path),
            size_bytes=size_bytes,
            leaf_graph=context.objects.put_file(vetted.leaf_graph),
            ensemble=context.objects.put_file(vetted.ensemble),
            description=vetted.description,
            metadata=_without_parity_rows(upload.metadata),
            parity=vetted.parity,
        )
        return context.models.add(model)


def _without_parity_rows(document: dict[str, Any]) -> dict[str, Any]:
    # They have done their work; a caller's rows are not kept longer than needed.
    return {**document, "parity": None}
