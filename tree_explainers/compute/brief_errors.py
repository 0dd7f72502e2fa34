"""What compiled loops say where arrays of different sizes meet: a sentence, without the sizes.

numba compiles, for every loop that assigns an array to a slice of another, how numbers and texts become a message that
names both sizes. That takes up to half of what compiling the loop takes. For processors that have no texts it has a
message without sizes, which is this one.
"""

from typing import Any

from numba.extending import overload
from numba.np import arrayobj


def raise_for_sizes(src_shapes: Any, index_shape: Any) -> None:  # tuples of numba's
    """Raise a ``ValueError``, in compiled code alone."""
    raise NotImplementedError


@overload(raise_for_sizes)  # type: ignore[untyped-decorator]  # numba ships no types
def _compiled_raise_for_sizes(src_shapes: Any, index_shape: Any) -> Any:  # numba has it by these names
    def raise_error(src_shapes: Any, index_shape: Any) -> None:
        raise ValueError("cannot assign slice from input of different size")  # noqa: EM101, TRY003  # as numba's other one

    return raise_error


def install() -> None:
    """Have whatever this process compiles from now on raise that error; nothing public of numba's sets it."""
    arrayobj.raise_with_shape_context = raise_for_sizes
