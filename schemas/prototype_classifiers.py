"""The nearest-prototype classifier of a prototype set, as it is exported for other programs."""

from typing import Literal

from pydantic import Field

from .contract import ClassesOfModel, Contract, RowId, TaskOfModel
from .rule_sets import RuleFeature

ClassifierExportFormat = Literal["json", "sql", "python", "onnx", "html"]


class NumberRange(Contract):
    """Numbers above one and up to another."""

    above: float | None = Field(description="Numbers of the range are greater than this; null: no lower end.")
    up_to: float | None = Field(description="Numbers of the range are no greater than this; null: no upper end.")


class ClassifierTest(Contract):
    """A test of a feature of a raw row, in double precision."""

    feature: int = Field(description="0-based index of the feature among `features`.")
    ranges: list[NumberRange] = Field(description="Ranges of a number or boolean (1 and 0); empty for a category.")
    texts: list[str] = Field(description="Categories; empty for a number.")
    is_among: bool = Field(
        description="Whether it holds for values in the ranges or among the texts, or else for others."
    )
    or_missing: bool = Field(description="Whether it holds for a missing value.")


class CutTree(Contract):
    """A tree cut down to what parts the leaves of the prototypes from all others."""

    weight: int = Field(description="What a leaf that is shared in this tree adds to the proximity.")
    root: int = Field(description="Where a row begins: a node, or a leaf as in `nodes`.")
    nodes: list[tuple[int, int, int]] = Field(
        description="For each node: the 0-based index of its test, where a row goes for which it holds, and where "
        "others go. From 0 on it is a node; -1 is a leaf without any prototype, -2 leaf 1, -3 leaf 2 and so on."
    )
    leaves: list[int] = Field(description="Leaf of each prototype, from 1 on.")


class ClassifierPrototype(Contract):
    """What a row gets whose nearest prototype this is."""

    row_id: RowId
    label: str | None = Field(description="Label of the prototype; null for regression.")
    value: float | None = Field(description="Value of the prototype; null for classification.")


class PrototypeClassifier(Contract):
    """The nearest-prototype classifier: everything that it takes to predict raw rows.

    A row's proximity to a prototype is the sum of the weights of the trees in which it comes to the prototype's leaf,
    divided by `total_weight`. It gets the label of the nearest prototype, the earlier one of equally near ones, and
    none if it is near to no prototype at all.
    """

    task: TaskOfModel
    classes: ClassesOfModel
    features: list[RuleFeature] = Field(description="Features that tests refer to.")
    prototypes: list[ClassifierPrototype] = Field(description="The prototypes in their order.")
    total_weight: int = Field(description="Weight of all trees that count.")
    tests: list[ClassifierTest] = Field(description="Distinct tests of all trees.")
    trees: list[CutTree] = Field(description="The trees that count.")
    refusal: str | None = Field(
        description="Why the classifier cannot be written in terms of raw features, in words; there are no trees then, "
        "but ONNX. Null where it can."
    )
