"""A convex quadratic programme with linear inequalities, solved by HiGHS, on one thread."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..errors import MethodNotApplicable

Floats = NDArray[np.float64]
_SECONDS = 600.0


@dataclass(frozen=True, slots=True)
class Programme:
    """Minimise ``x.Q.x / 2 + c.x`` where ``rows @ x >= bounds``; ``Q`` is positive semi-definite."""

    quadratic: Floats  # (n, n) Q, symmetric
    linear: Floats  # (n,) c
    rows: Floats  # (n_rows, n)
    bounds: Floats  # (n_rows,)


def solve(programme: Programme) -> Floats:
    """Return a solution, (n,), found by HiGHS' active sets: the same for the same programme.

    Raises
    ------
    MethodNotApplicable
        Where no solution is found within ten minutes.
    """
    import highspy  # 10 MB that only this needs

    if not len(programme.linear):
        return np.empty(0)
    solver = highspy.Highs()
    options: dict[str, Any] = {"output_flag": False, "threads": 1, "parallel": "off", "time_limit": _SECONDS}
    for name, value in options.items():
        solver.setOptionValue(name, value)
    solver.passModel(_model(highspy, programme))
    solver.run()
    status = solver.getModelStatus()
    if status != highspy.HighsModelStatus.kOptimal:
        msg = (
            f"The weights of {len(programme.bounds)} nodes could not be found ({solver.modelStatusToString(status)}); "
            "request fewer nodes."
        )
        raise MethodNotApplicable(msg)
    return np.array(solver.getSolution().col_value)


def _model(highspy: Any, programme: Programme) -> Any:  # a module without types
    """Return the programme as HiGHS takes it: columns of what is not 0, and the lower triangle of Q by columns."""
    n, n_rows = len(programme.linear), len(programme.bounds)
    model = highspy.HighsModel()
    linear = model.lp_
    linear.num_col_, linear.num_row_ = n, n_rows
    linear.col_cost_ = programme.linear
    linear.col_lower_, linear.col_upper_ = np.full(n, -np.inf), np.full(n, np.inf)
    linear.row_lower_, linear.row_upper_ = programme.bounds, np.full(n_rows, np.inf)
    starts, positions, values = _by_columns(programme.rows)
    linear.a_matrix_.format_ = highspy.MatrixFormat.kColwise
    linear.a_matrix_.start_, linear.a_matrix_.index_, linear.a_matrix_.value_ = starts, positions, values
    starts, positions, values = _by_columns(np.tril(programme.quadratic))
    model.hessian_.dim_, model.hessian_.format_ = n, highspy.HessianFormat.kTriangular
    model.hessian_.start_, model.hessian_.index_, model.hessian_.value_ = starts, positions, values
    return model


def _by_columns(matrix: Floats) -> tuple[NDArray[np.int32], NDArray[np.int32], Floats]:
    columns, positions = np.nonzero(matrix.T)
    starts = np.searchsorted(columns, np.arange(matrix.shape[1] + 1))
    return starts.astype(np.int32), positions.astype(np.int32), matrix[positions, columns]
