"""Files, cells and boxes of a prototype set, made in threads as soon as what they need is chosen.

The file of all reference rows needs the leaves alone and is made while prototypes are chosen, the others while the
choice is measured. Some of it reads and packs rows, some is built of objects, and all files are hashed and flushed to
disk there.
"""

from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from explanations.feature_phrases import VALUES
from schemas.prototype_sets import PrototypeSetRequest
from storage.array_files import write_arrays
from storage.dataset_rows import open_rows
from storage.object_store import ObjectStore, PreparedFile
from tree_explainers.prototype_sets.criticisms import Criticisms
from tree_explainers.prototype_sets.leaf_boxes import leaf_boxes
from tree_explainers.prototype_sets.readable import feature_numbers

from ..runtime.context import JobContext
from .prototype_set_choice import PrototypeSetInputs
from .prototype_set_evaluation import ChosenPrototypes
from .prototype_set_files import measured_values, write_classifier, write_represented
from .prototype_set_views import Cells, classifier_prototype
from .searched_rows import Reference, searched_space, write_reference
from .spaces import LeafSpace, Space

Arrays = dict[str, NDArray[Any]]


class Meanwhile:
    """What is done in threads beside the rest of a job that forks no processes."""

    def __init__(self, pool: ThreadPoolExecutor) -> None:
        self._pool = pool
        self._begun: list[Future[None]] = []

    def begin(self, work: Callable[[], None]) -> None:
        """Begin some work."""
        self._begun.append(self._pool.submit(work))

    def wait(self) -> None:
        """Wait for all of it; raise what failed."""
        for begun in self._begun:
            begun.result()


def begin_reference(
    pool: ThreadPoolExecutor,
    context: JobContext,
    request: PrototypeSetRequest,
    inputs: PrototypeSetInputs,
    prototypes: Space,
) -> Future[Reference] | None:
    """Begin the file of all reference rows; ``prototypes`` is the space in which rows are compared with prototypes.

    ``None`` by plain distance, where rows are not searched.
    """
    searched = searched_space(inputs.model, inputs.dataset, request)
    if searched is None or not isinstance(prototypes, LeafSpace):
        return None
    truth = inputs.evaluation.truth if inputs.evaluation.is_training else None
    in_bag = partial(inputs.dataset.in_bag, inputs.model)
    return pool.submit(write_reference, context, searched, prototypes, truth, in_bag)


class Background(NamedTuple):
    """What is being made."""

    cells: Future[Cells]  # of prototypes and criticisms
    represented: Future[dict[str, PreparedFile]]
    of_leaves: "_OfLeaves | None"  # None by plain distance

    @staticmethod
    def begin(
        pool: ThreadPoolExecutor,
        context: JobContext,
        inputs: PrototypeSetInputs,
        chosen: ChosenPrototypes,
        reference: Future[Reference] | None,
        criticisms: Criticisms,
    ) -> "Background":
        """Begin what needs the choice; ``reference`` comes from ``begin_reference``."""
        cells = pool.submit(_take, context.objects, chosen, criticisms)
        represented = pool.submit(write_represented, context, chosen)
        if reference is None:
            return Background(cells, represented, None)
        of_leaves = _OfLeaves(
            reference=reference,
            classifier=pool.submit(_write_classifier, context, chosen, cells),
            boxes=pool.submit(_boxes, chosen),
            values=pool.submit(measured_values, context.objects, inputs.model, inputs.dataset),
        )
        return Background(cells, represented, of_leaves)

    def reference(self) -> Reference:
        """Return the file of all reference rows, when it is written."""
        return Reference() if self.of_leaves is None else self.of_leaves.reference.result()

    def files(self) -> dict[str, PreparedFile]:
        """Return all files by name, when they are written."""
        classifier = {} if self.of_leaves is None else self.of_leaves.classifier.result()
        return {**self.reference().files, **classifier, **self.represented.result()}

    def arrays(self, chosen: ChosenPrototypes, quantiles: NDArray[np.int64]) -> bytes | None:
        """Return what explainers need: the prototypes' leaves and boxes, how to find a row's leaves, what is typical.

        ``quantiles`` are of proximities, (101,); nothing is needed where rows cannot be explained.
        """
        if self.of_leaves is None:
            return None
        prototypes: Arrays = {
            "leaves": chosen.leaves,
            "classes": chosen.selection.classes,
            "typicality_quantiles": quantiles,
        }
        values = {f"{VALUES}{name}": array for name, array in self.of_leaves.values.result().items()}
        boxes = {f"boxes_{name}": array for name, array in self.of_leaves.boxes.result().items()}
        return write_arrays(chosen.leaf_space.arrays() | prototypes | values | boxes)


class _OfLeaves(NamedTuple):
    reference: Future[Reference]
    classifier: Future[dict[str, PreparedFile]]
    boxes: Future[Arrays]  # of the prototypes' leaves
    values: Future[dict[str, NDArray[np.float64]]]  # next to cuts, by feature


def _take(objects: ObjectStore, chosen: ChosenPrototypes, criticisms: Criticisms) -> Cells:
    """Return the cells of prototypes and criticisms, which lie in the same parts of the file as a rule."""
    with open_rows(objects, chosen.space.dataset.stored.content) as file:
        return file.take([*chosen.selection.rows.tolist(), *criticisms.rows.tolist()])


def _write_classifier(context: JobContext, chosen: ChosenPrototypes, taken: Future[Cells]) -> dict[str, PreparedFile]:
    cells = taken.result()
    prototypes = [classifier_prototype(chosen, index, cells[index]) for index in range(len(chosen.selection.rows))]
    return write_classifier(context, chosen, prototypes)


def _boxes(chosen: ChosenPrototypes) -> Arrays:
    space = chosen.leaf_space
    features = feature_numbers(space.model.description.columns)
    return leaf_boxes(space.leaves.cut(space.model.ensemble), chosen.leaves, features).to_arrays()
