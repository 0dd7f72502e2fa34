"""Players: what moves from the reference case to the explained row as one: a raw feature, or a group of them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Self

import numpy as np
from numpy.typing import NDArray

from ..errors import InvalidInput
from ..onnx_models.description import ModelColumn
from ..wording import did_you_mean


@dataclass(frozen=True, slots=True)
class Players:
    """The players of a model, and which of them each column belongs to that trees read.

    All columns that preprocessing makes of one raw feature are one player: its one-hot columns, its missing indicator,
    its number. A column that is computed from several raw features (a principal component, say) is a player of its own
    under the column's name: what it would be with some of these features from another row is not asked.
    """

    names: tuple[str, ...]  # (n_players,) raw features, groups, or names of transformed columns
    transformed: tuple[bool, ...]  # (n_players,) the name is that of a column made of several raw features
    of_column: NDArray[np.int32]  # (n_columns,)

    @classmethod
    def of(
        cls,
        columns: Sequence[ModelColumn],
        feature_names: Sequence[str],
        groups: Mapping[str, Sequence[str]] | None = None,
    ) -> Self:
        """Return the players of a model.

        Parameters
        ----------
        columns : (n_columns,)
            Of the model, as trees number them.
        feature_names
            Of the raw features. They are players in this order, whether trees test them or not, and declared one-hot
            columns of one feature are one player, in place of the first; then come transformed columns.
        groups
            By the name of each group: its raw features, which become one player at the place of the first of them.

        Raises
        ------
        InvalidInput
            Where a group has no feature, names an unknown one, or one that another group has; or where its name is
            that of a feature outside it.
        """
        features = _represented(columns, feature_names)
        group_of = _group_of(features, groups or {})
        of_feature = [group_of.get(name, name) for name in features]
        names = list(dict.fromkeys(of_feature))
        n_raw, of_column = len(names), []
        for column in columns:
            if column.raw_index is None:
                of_column.append(len(names))
                names.append(column.name)
            else:
                of_column.append(names.index(of_feature[column.raw_index]))
        transformed = tuple(at >= n_raw for at in range(len(names)))
        return cls(tuple(names), transformed, np.array(of_column, np.int32))


def _represented(columns: Sequence[ModelColumn], feature_names: Sequence[str]) -> list[str]:
    """Return for each raw feature its name, or that of the feature whose declared one-hot column it is."""
    names = list(feature_names)
    for column in columns:
        if column.raw_index is not None and column.feature not in {None, feature_names[column.raw_index]}:
            names[column.raw_index] = str(column.feature)
    return names


def _group_of(feature_names: Sequence[str], groups: Mapping[str, Sequence[str]]) -> dict[str, str]:
    """Return the group of each feature that is in one."""
    group_of: dict[str, str] = {}
    for group, features in groups.items():
        if not features:
            detail = f"The group {group!r} has no features."
            raise InvalidInput(detail)
        if group in feature_names and group not in features:
            detail = f"The group {group!r} has the name of a feature that is not in it."
            raise InvalidInput(detail)
        for feature in features:
            if feature not in feature_names:
                near = did_you_mean(feature, feature_names) or "."
                detail = f"The group {group!r} names the feature {feature!r}, which the model does not have{near}"
                raise InvalidInput(detail)
            if group_of.setdefault(feature, group) != group:
                detail = f"The feature {feature!r} is in the groups {group_of[feature]!r} and {group!r}."
                raise InvalidInput(detail)
    return group_of
