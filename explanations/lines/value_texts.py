"""The values of a block's rows as texts."""

import numpy as np
import orjson
import pyarrow as pa
from numpy.typing import NDArray

from ..row_blocks import RowBlock
from ..texts import TextPool, number_texts


class ValueTexts:
    """Numbers the texts of values."""

    def __init__(self, pool: TextPool) -> None:
        self._null = pool.add_pieces(b"null")
        self._false = pool.add_pieces(b"false", b"true")

    def of(self, block: RowBlock, rows: NDArray[np.int64], pool: TextPool) -> NDArray[np.int64]:
        """Return the texts of these rows' values, (len(rows), n_features)."""
        texts = np.empty((len(rows), len(block.columns)), dtype=np.int64)
        numbers = []
        for feature, (column, is_boolean) in enumerate(zip(block.columns, block.are_booleans, strict=True)):
            if column.dtype == object:
                texts[:, feature] = self._of_categories(column[rows], pool)
            elif is_boolean:
                texts[:, feature] = np.where(np.isnan(column[rows]), self._null, self._false + (column[rows] == 1))
            else:
                numbers.append(feature)
        values = np.array([block.columns[feature][rows] for feature in numbers]).reshape(len(numbers), len(rows))
        texts[:, numbers] = pool.add(number_texts(values.ravel())) + np.arange(values.size).reshape(values.shape).T
        return texts

    def _of_categories(self, values: NDArray[np.object_], pool: TextPool) -> NDArray[np.int64]:
        encoded = pa.array(values, pa.string()).dictionary_encode()
        first = pool.add_pieces(*map(orjson.dumps, encoded.dictionary.to_pylist()))
        missing = self._null - first
        return np.asarray(encoded.indices.fill_null(missing).to_numpy()) + first
