"""What table 2 of Van Assche & Blockeel (2007) prints: accuracies and numbers of tests, by 3, 11 and 33 trees."""

SIZES = (3, 11, 33)

Row = tuple[tuple[float, ...], tuple[float, ...]]  # accuracies, model sizes

CARCINOGENESIS: dict[str, Row] = {
    "bagging": ((0.592, 0.616, 0.620), (105.88, 389.96, 1176.6)),
    "ISM of bagging": ((0.603, 0.619, 0.631), (80.08, 79.3, 80.48)),
    "FORF": ((0.604, 0.623, 0.620), (104.34, 379.51, 1137.97)),
    "ISM of FORF": ((0.601, 0.621, 0.623), (80.64, 77.82, 73.82)),
    "TILDE": ((0.611,), (29.88,)),
}
TRAINS: dict[str, Row] = {
    "bagging": ((0.675, 0.707, 0.715), (136.94, 511.76, 1529.22)),
    "ISM of bagging": ((0.683, 0.701, 0.704), (77.82, 85.54, 82.22)),
    "FORF": ((0.673, 0.708, 0.718), (128.8, 471.38, 1416.42)),
    "ISM of FORF": ((0.654, 0.705, 0.707), (84.32, 76.76, 71.36)),
    "TILDE": ((0.689,), (40.6,)),
}
