"""Which rows somebody should inspect first: Tan et al. (2020), "Fixing Mislabeled Points".

MNIST 4 against 9. A third of the training labels are flipped; a user goes through up to 30 % of the training rows in
some order and sets right what was flipped; a new forest is trained and evaluated on clean test rows. Orders: our label
audit by the vote of all rows, alone and times the forest's score of the given label, its default, and by the paper's 10
neighbours and by 50; the loss of the forest on the given label; chance. Variants: trees that are not fully grown, and
out-of-bag rows only.

Each repetition is added to a file of JSON lines. A run goes on where that ends, and makes what orders it lacks.
``python -m benchmarks.label_audit --json FILE [--settings 3000 variants 11791] [--quick | --again] [--plot FILE] >
FILE``
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
    parser.add_argument("--quick", action="store_true", help="one repetition of each setting")
    names = [setting.name for setting in SETTINGS]
    parser.add_argument("--settings", nargs="+", choices=names, default=names, help="what to make repetitions of")
    parser.add_argument("--again", action="store_true", help="only print and draw what that file has")
    parser.add_argument("--plot", type=Path, help="where to draw (SVG)")
    arguments = parser.parse_args()
    for setting in SETTINGS:
        if setting.name in arguments.settings and not arguments.again:
            run(setting, 1 if arguments.quick else setting.n_repetitions, arguments.json)
    found = [(setting, read(setting, arguments.json)) for setting in SETTINGS]
    measured = [(setting, repetitions) for setting, repetitions in found if repetitions]
    print("# Label audit: finding flipped labels", *reading(measured), *about(measured, arguments.plot), sep="\n\n")
    for setting, repetitions in measured:
        print("", *tables(setting, repetitions), sep="\n")
    if arguments.plot:
        draw(measured, arguments.plot)


if __name__ == "__main__":
    main()
