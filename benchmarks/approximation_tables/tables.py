"""The papers' figures beside ours, in Markdown."""

from collections.abc import Iterator, Sequence

import numpy as np

from benchmarks.defrag_tables.figures import header, line, shown, shown_range, shown_seconds
from benchmarks.defrag_tables.published import figure_5

from .kept_rules import kept_rules
from .making import STA
from .mimicry import CART, FOREST
from .published import AGREEMENT, L1_OF_QUESTIONNAIRE, QUESTIONS, RULES, structures_of
from .questionnaires import QUESTIONNAIRES
from .reasons import why_agreement, why_rules, why_structures
from .records import Found, Mimicked, Ruled, of_each
from .studies import SIMULATION

_PRINTED_ACCURACY = {  # in words, about figure 1
    CART.name: "like the others, varies most",
    FOREST.name: "varies least",
    STA: "like the others, varies less than CART",
}


def mimicry_table(found: Found) -> Iterator[str]:
    """Yield figures 1 and 2."""
    yield from header(
        (
            "predictor",
            "N_ps",
            "accuracy: paper",
            "ours",
            "agreement: paper",
            "ours",
            "L1: ours",
            "questions",
            "leaves",
            "unsure at the cap",
            "seconds a tree",
            "why",
        )
    )
    by_predictor = of_each(found.mimicked, SIMULATION)
    for who, own in by_predictor.items():
        is_sta = who.name == STA
        cells = [who.name, f"{who.n_pseudo:,}" if who.n_pseudo else "", _PRINTED_ACCURACY.get(who.name, "")]
        cells += [shown([one.accuracy for one in own], 3), f"about {AGREEMENT.of_simulation}" if is_sta else ""]
        cells += [*_likeness(own), *_size(own), _at_cap(own), _seconds(own)]
        yield line([*cells, why_agreement(own, AGREEMENT.of_simulation, by_predictor[FOREST]) if is_sta else ""])


def structures_table(found: Found) -> Iterator[str]:
    """Yield figure 3, and figure 5 for each questionnaire."""
    names = ("study", "trees", "N_ps", "made", "different at levels 1 to 4: paper", "ours", "by features alone")
    yield from header((*names, "commonest", "unsure at the cap", "why"), n_left=2)
    for own in found.structures:
        cells = [own.study, own.who.name, f"{own.who.n_pseudo:,}", str(own.n_replications)]
        cells += [structures_of(own.study, *own.who), _listed(own.n_different), _listed(own.n_by_features)]
        cells += [f"{own.occurrences[-1][0]} of {own.n_replications}"]
        cells += [f"{own.share_at_cap:.0%}" if own.share_at_cap is not None else ""]
        yield line([*cells, why_structures(own)])


def questionnaire_table(found: Found) -> Iterator[str]:
    """Yield figure 4, and how many questions there are."""
    yield from header(
        (
            "questionnaire",
            "predictor",
            "N_ps",
            "agreement: paper",
            "ours",
            "L1: paper",
            "ours",
            "questions: paper",
            "ours",
            "leaves",
            "unsure at the cap",
            "accuracy",
            "balanced accuracy",
            "seconds a tree",
            "why",
        ),
        n_left=2,
    )
    for name, n_items in QUESTIONNAIRES.items():
        by_predictor = of_each(found.mimicked, name)
        for who, own in by_predictor.items():
            is_sta = who.name == STA
            agreement, l1 = _likeness(own)
            n_questions, n_leaves = _size(own)
            cells = [name, who.name, f"{who.n_pseudo:,}" if who.n_pseudo else ""]
            cells += [f"about {AGREEMENT.of_questionnaire}" if is_sta else "", agreement]
            cells += [L1_OF_QUESTIONNAIRE if is_sta else "", l1]
            cells += [QUESTIONS if is_sta else "", f"{n_questions or 'all'} of {n_items}", n_leaves]
            cells += [_at_cap(own), shown([one.accuracy for one in own], 3)]
            cells += [shown([one.balanced_accuracy for one in own], 3), _seconds(own)]
            yield line([*cells, why_agreement(own, AGREEMENT.of_questionnaire, by_predictor[FOREST]) if is_sta else ""])


def rules_table(found: Found) -> Iterator[str]:
    """Yield figure 5 of Hara & Hayashi: rules against test error."""
    names = ("data", "predictor", "rules: paper", "ours", "test error: paper's axis", "ours", "unlike the forest")
    yield from header((*names, "seconds", "why"), n_left=2)
    for dataset in dict.fromkeys(one.dataset for one in found.ruled):
        own = [one for one in found.ruled if one.dataset == dataset]
        kept = kept_rules(dataset, sorted({one.seed for one in own}))
        for predictor in dict.fromkeys(one.predictor for one in [*own, *kept]):
            yield _rules_line(dataset, predictor, [one for one in [*own, *kept] if one.predictor == predictor])


def _rules_line(dataset: str, predictor: str, own: Sequence[Ruled]) -> str:
    axis, n_decimals = figure_5(dataset), 2 if dataset == "energy" else 3
    errors = [one.error for one in own]
    n_rules = [one.n_rules for one in own if one.n_rules is not None]
    cells = [dataset, predictor, RULES.get(predictor, ""), shown_range(n_rules)]
    cells += [f"{axis.lowest:g} to {axis.highest:g}", shown(errors, n_decimals)]
    cells += [shown([one.unlike_forest for one in own], n_decimals)]
    seconds = [one.seconds for one in own if one.seconds is not None]
    cells += [shown_seconds(seconds) if seconds else ""]
    return line([*cells, why_rules(dataset, predictor, n_rules, float(np.mean(errors)), axis)])


def _likeness(own: Sequence[Mimicked]) -> tuple[str, str]:
    agreement = [one.agreement for one in own if one.agreement is not None]
    l1 = [one.probability_l1 for one in own if one.probability_l1 is not None]
    return (shown(agreement, 3), shown(l1, 3)) if agreement else ("", "")


def _size(own: Sequence[Mimicked]) -> tuple[str, str]:
    n_questions = [one.n_questions for one in own if one.n_questions is not None]
    n_leaves = [one.n_leaves for one in own if one.n_leaves is not None]
    return (shown(n_questions, 2), shown_range(n_leaves)) if n_questions else ("", "")


def _at_cap(own: Sequence[Mimicked]) -> str:
    shares = [one.share_at_cap for one in own if one.share_at_cap is not None]
    return f"{np.mean(shares):.0%}" if shares else ""


def _seconds(own: Sequence[Mimicked]) -> str:
    seconds = [one.seconds for one in own if one.seconds is not None]
    return shown_seconds(seconds) if seconds else ""


def _listed(counts: Sequence[int]) -> str:
    return ", ".join(map(str, counts))
