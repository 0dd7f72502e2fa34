"""Which rows somebody should inspect first: Tan et al. (2020), "Fixing Mislabeled Points".

MNIST 4 against 9. A third of the training labels are flipped; a user goes through up to 30 % of the training rows in
some order and sets right what was flipped; a new forest is trained and evaluated on clean test rows. Orders: our label
audit by the vote of all rows, its default, and by the paper's 10 neighbours and by 50, with trees that are not fully
grown and with out-of-bag rows only; the loss of the forest on the given label; chance.

Each repetition is added to a file of JSON lines. A run that was stopped goes on where that ends.
``python -m benchmarks.label_audit --json FILE [--quick | --again] [--plot FILE] > FILE``
"""

import argparse
from pathlib import Path

from .experiment import SETTINGS
from .records import read, run
from .report import about, draw, reading, tables


def main() -> None:
    """Measure, print and draw."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--json", type=Path, required=True, help="where every repetition is kept")
    parser.add_argument("--quick", action="store_true", help="one repetition on 3,000 rows")
    parser.add_argument("--again", action="store_true", help="only print and draw what that file has")
    parser.add_argument("--plot", type=Path, help="where to draw (SVG)")
    arguments = parser.parse_args()
    if arguments.again:
        measured = [(one, read(one, arguments.json)) for one in SETTINGS]
    else:
        settings = SETTINGS[:1] if arguments.quick else SETTINGS
        measured = [(one, run(one, 1 if arguments.quick else one.n_repetitions, arguments.json)) for one in settings]
    measured = [(setting, repetitions) for setting, repetitions in measured if repetitions]
    print("# Label audit: finding flipped labels", *reading(measured), *about(arguments.plot), sep="\n\n")
    for setting, repetitions in measured:
        print("", *tables(setting, repetitions), sep="\n")
    if arguments.plot:
        draw(measured, arguments.plot)


if __name__ == "__main__":
    main()
