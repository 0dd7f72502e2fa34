"""What Zhou & Hooker (2016) and Hara & Hayashi (2018) print, and what can be read from their text and figures."""

from typing import NamedTuple


class Agreement(NamedTuple):
    """How often a tree of five layers says what its forest says."""

    of_simulation: float = 0.95  # section 4.1.1, "around"
    of_questionnaire: float = 0.9  # section 4.2, "about"


AGREEMENT = Agreement()
L1_OF_QUESTIONNAIRE = "0.1"  # section 4.2
QUESTIONS = "at most 4 of 88"  # section 4.2

# Different trees by level of questions, of 100: sections 4.1.2 and 4.2. The figures' bars cannot be read.
_STRUCTURES = {
    ("simulation", "STA", 100_000): "much fewer than CART",
    ("simulation", "STA", 1_000_000): "1, 1, 1, 1",
    ("simulation", "CART on pseudo rows", 100_000): "very many at level 4",
    ("questionnaire", "STA", 1_000_000): "1, 1; 92 of 100 alike at level 4",
}

# Section 7.2 of Hara & Hayashi, about figure 5.
RULES = {"born again": "sometimes over 100", "CART, depth 2": "4", "printed rules": "3 to 10"}


def structures_of(study: str, name: str, n_pseudo: int) -> str:
    """Return what is printed about the number of different trees of a study; empty where nothing is."""
    kind = study if study == "simulation" else "questionnaire"
    return _STRUCTURES.get((kind, name, n_pseudo), "")
