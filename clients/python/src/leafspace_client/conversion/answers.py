"""Answers: what a model, and each of those that it combines, adds to a graph: scores, a decision function, a label."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from skl2onnx._supported_operators import sklearn_operator_name_map
from skl2onnx.common.data_types import DoubleTensorType, FloatTensorType, Int64TensorType, StringTensorType

from ..errors import CannotConvert
from .double_precision import Nodes, for_precision, graph_labels
from .estimators import ModelInputs
from .native_graph import add_sums, coded_column, scores_of
from .native_models import native_trees, trees_behind_steps
from .native_trees import NativeTrees
from .steps import columns_behind
from .unwrapping import final_step, unwrapped

Columns = Sequence[Any]  # skl2onnx's variables, which hold the columns of the rows side by side


@dataclass(frozen=True, slots=True)
class Answer:
    """The tensors of what a model predicts, all of doubles; those of labels are added where they are wanted."""

    scores: str  # (n_rows, n_classes), or (n_rows, 1): the value of a regression
    index: Callable[[], str]  # adds the index of the label among the model's classes, (n_rows,)
    raw: str | None = None  # decision function, (n_rows, 1) of two classes, else (n_rows, n_classes); None: has none

    def decision(self, model: Any) -> str:  # an estimator
        """Return the tensor of the decision function of a model, which answered this.

        Raises
        ------
        CannotConvert
            Where it is not written.
        """
        if self.raw is None:
            detail = (
                f"{type(model).__name__}.decision_function is not converted, by which the model around it decides; let "
                "it decide by predict_proba, or put a model of trees in its place"
            )
            raise CannotConvert("cannot_convert", detail)
        return self.raw


class Writer:
    """Adds a model and those that it combines to the graph that skl2onnx is making.

    ``writer_of`` returns what writes a model of scikit-learn, which calls this again for its members.
    """

    def __init__(
        self, scope: Any, operator: Any, container: Any, inputs: ModelInputs, writer_of: "Callable[[Any], Write | None]"
    ) -> None:
        self._writer_of = writer_of
        self.nodes = Nodes(scope, container)
        self._inputs = inputs
        is_raw = inputs.column_types is not None and not any(each.operators_outputs_ for each in operator.inputs)
        self._raw = [each.full_name for each in operator.inputs] if is_raw else []
        self._scope = scope
        self._has_doubles = any(isinstance(each.type, DoubleTensorType) for each in operator.inputs)
        self._of_steps: set[str] = set()  # tensors whose type is known once the steps that make them are converted
        self._tensors: dict[tuple[tuple[str, ...], bool], str] = {}

    def answer(self, model: Any, columns: Columns) -> Answer:  # an estimator
        """Add a fitted model that reads these columns.

        Raises
        ------
        CannotConvert
            Naming a member that cannot be written.
        """
        plain = unwrapped(model)
        final = final_step(plain)
        if final is not plain:
            columns = self._behind([step for _, step in plain.steps[:-1]], columns)
        write = self._writer_of(final)
        if write is not None:
            return write(self, final, columns)
        native = self.native(final, columns)
        return self._of_converter(final, columns) if native is None else self._of_native(native, columns)

    def native(self, model: Any, columns: Columns) -> NativeTrees | None:  # an estimator
        """Return what a library's own document says of a model; ``None`` for those that have none."""
        if [each.full_name for each in columns] == self._raw:
            return native_trees(model, self._inputs)
        return trees_behind_steps(model)

    def tensor(self, columns: Columns, *, rounds: bool) -> str:
        """Return the columns as one tensor of doubles; ``rounds``: rounded to single precision."""
        names = tuple(each.full_name for each in columns)
        if (names, rounds) not in self._tensors:
            joined = self._joined(columns)
            is_rounded = rounds and self.takes_doubles(columns)
            add = self.nodes.as_rounded if is_rounded else self.nodes.as_double
            self._tensors[names, rounds] = add(joined)
        return self._tensors[names, rounds]

    def takes_doubles(self, columns: Columns) -> bool:
        """Whether rows come to the trees in double precision, or may do so."""
        may_do_so = self._has_doubles and any(each.full_name in self._of_steps for each in columns)
        return may_do_so or any(isinstance(each.type, DoubleTensorType) for each in columns)

    def selected(self, columns: Columns, indices: Any) -> Columns:  # an array
        """Return some of the columns, (n_selected,) their indices."""
        kind = DoubleTensorType if self.takes_doubles(columns) else FloatTensorType
        chosen = self.nodes.constant(np.asarray(indices, np.int64))
        return [self._variable("Gather", [self._joined(columns), chosen], kind([None, len(indices)]))]

    def joined(self, tensors: Sequence[str], width: int) -> Columns:
        """Return tensors of doubles side by side, as columns that a model reads."""
        return [self._variable("Concat", tensors, DoubleTensorType([None, width]))]

    def highest(self, scores: str) -> Callable[[], str]:
        """Return what adds the index of the first of the highest scores."""
        return lambda: self.nodes.add("ArgMax", [scores], axis=1, keepdims=0)

    def column(self, tensor: str, index: int) -> str:
        """Return one column of a tensor, (n_rows, 1)."""
        return self.nodes.add("Gather", [tensor, self.nodes.constant(np.array([index]))], axis=1)

    def votes(self, answer: Answer, n_classes: int) -> str:
        """Return whether each class is the label, (n_rows, n_classes), as booleans."""
        label = self.nodes.add("Reshape", [answer.index(), self.nodes.constant(np.array([-1, 1]))])
        return self.nodes.add("Equal", [label, self.nodes.constant(np.arange(n_classes).reshape(1, -1))])

    def total(self, tensors: Sequence[str]) -> str:
        """Return the sum of tensors, added one after another."""
        total = tensors[0]
        for each in tensors[1:]:
            total = self.nodes.add("Add", [total, each])
        return total

    def _variable(self, op_type: str, inputs: Sequence[str], kind: Any) -> Any:  # skl2onnx's own
        variable = self._scope.declare_local_variable("columns", kind)
        self.nodes.add(op_type, inputs, variable.full_name, axis=1)
        variable.init_status(is_fed=True)
        return variable

    def _joined(self, columns: Columns) -> str:
        names = [each.full_name for each in columns]
        if len(names) == 1:
            return str(names[0])
        if len({type(each.type) for each in columns}) > 1:
            names = [self.nodes.as_double(name) for name in names]
        return self.nodes.add("Concat", names, axis=1)

    def _behind(self, steps: Sequence[Any], columns: Columns) -> Columns:
        """Add the steps of a pipeline, which are converted after this model."""
        columns = columns_behind(self._scope, steps, columns)
        if steps:
            self._of_steps.update(each.full_name for each in columns)
        return columns

    def _of_native(self, native: NativeTrees, columns: Columns) -> Answer:
        model = replace(native, trees=for_precision(native.trees, takes_doubles=self.takes_doubles(columns)))
        raw = add_sums(self.nodes, self.coded(columns, model), model)
        scores, cut_off = scores_of(self.nodes, raw, model), model.cut_off
        if cut_off is None:
            return Answer(scores, self.highest(scores), raw)
        return Answer(scores, lambda: self.nodes.is_reached(scores, cut_off, is_strict=True), raw)

    def coded(self, columns: Columns, model: NativeTrees) -> str:
        """Return the columns as one tensor of doubles; raw categories become the codes by which the trees know them."""
        if not model.codings or [each.full_name for each in columns] != self._raw:
            return self.tensor(columns, rounds=model.is_single)
        coded = []
        for at, each in enumerate(columns):
            name, coding = each.full_name, model.codings.get(at)
            is_text = isinstance(each.type, StringTensorType)
            if coding is not None and is_text != coding.is_text:
                detail = f"column {at} has texts in X or among the categories of the model, but not in both"
                raise CannotConvert("cannot_convert", detail)
            raw = name if is_text else self.nodes.as_double(name)
            coded.append(raw if coding is None else coded_column(self.nodes, raw, coding))
        joined = self.nodes.add("Concat", coded, axis=1) if len(coded) > 1 else coded[0]
        return self.nodes.as_rounded(joined) if model.is_single and self.takes_doubles(columns) else joined

    def _of_converter(self, model: Any, columns: Columns) -> Answer:  # an estimator
        """Add a model whose trees do not decide, or that has none, by skl2onnx's own converter."""
        if type(model) not in sklearn_operator_name_map:
            detail = (
                f"{type(model).__module__}.{type(model).__name__}, a member of the model, is not converted; let models "
                "of trees be its members, or write the model as ONNX yourself and register the file"
            )
            raise CannotConvert("cannot_convert", detail)
        part = self._scope.declare_local_operator(sklearn_operator_name_map[type(model)], model)
        part.inputs = list(columns)
        kind = DoubleTensorType if self.takes_doubles(columns) else FloatTensorType
        if not hasattr(model, "classes_"):
            part.outputs.append(self._scope.declare_local_variable("value", kind()))
            return Answer(self.nodes.as_double(part.outputs[0].full_name), str)
        part.outputs.append(self._scope.declare_local_variable("label", Int64TensorType()))
        part.outputs.append(self._scope.declare_local_variable("scores", kind()))
        label, scores = (each.full_name for each in part.outputs)
        raw = self._linear(model, columns) if hasattr(model, "coef_") else None
        return Answer(self.nodes.as_double(scores), lambda: self._index_of_label(label, model.classes_), raw)

    def _linear(self, model: Any, columns: Columns) -> str:  # an estimator
        """Return the decision function of a linear classifier."""
        weights = self.nodes.constant(np.atleast_2d(np.asarray(model.coef_, np.float64)).T)
        products = self.nodes.add("MatMul", [self.tensor(columns, rounds=False), weights])
        return self.nodes.add("Add", [products, self.nodes.constant(np.asarray(model.intercept_, np.float64).ravel())])

    def _index_of_label(self, label: str, classes: Any) -> str:  # an array
        keys = graph_labels(classes)
        if keys.dtype.kind == "U":
            numbers = {"keys_strings": keys.tolist(), "values_int64s": list(range(len(keys)))}
            return self.nodes.add("LabelEncoder", [label], domain="ai.onnx.ml", **numbers)
        if (keys == np.arange(len(keys))).all():
            return label
        flat = self.nodes.add("Reshape", [label, self.nodes.constant(np.array([-1, 1]))])
        equal = self.nodes.add("Equal", [flat, self.nodes.constant(keys.reshape(1, -1))])
        return self.nodes.add("ArgMax", [self.nodes.as_double(equal)], axis=1, keepdims=0)


Write = Callable[[Writer, Any, Columns], Answer]
"""Adds a model to the graph, and returns the tensors of what it predicts."""
