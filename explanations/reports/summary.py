"""The summary of a report, with which it begins: what is decided, how well, what is compared, and what limits it."""

from collections.abc import Iterator

from leafspace_drawings import ModelContext
from leafspace_drawings.classes import Classes
from leafspace_drawings.columns import ColumnNames
from leafspace_drawings.model import cautions_of, kind_of, trust_of
from leafspace_drawings.words import brief, counted, effect_scale, measured_on, name_or_id, number, sentence, share

from schemas.reports import Drift, ReportComparison

from ..sentences import listed
from .inputs import Explained, Figures, Json, ReportInputs

_MOST_NAMED = 5  # classes or outcomes
_MOST_CAUTIONS = 3
_MOST_FEATURES = 3
_MOST_ROWS = 3


def summary_of(shown: ReportInputs, figures: Figures) -> list[str]:
    """Return a few sentences, each by itself."""
    return [*_sentences(shown, figures)]


def _sentences(shown: ReportInputs, figures: Figures) -> Iterator[str]:
    explained = shown.own
    if not shown.shows("model"):
        yield from _explained_rows(shown)
    yield _decided(explained)
    if shown.evaluation is not None:
        yield _evaluated(shown.evaluation)
    yield from _measured(explained, shown.evaluation)
    if shown.effects is not None and shown.effects["mean_absolute_effects"]:
        yield _counted_most(shown.effects, explained.dataset)
    if shown.other is not None and figures.comparison is not None:
        yield _changed(shown.other.model, figures.comparison)
    if shown.newer_dataset is not None and figures.drift is not None:
        yield _drifted(shown.newer_dataset, figures.drift)
    yield from _cautions(shown)


def _explained_rows(shown: ReportInputs) -> Iterator[str]:
    """Yield what the explanations of the first rows say, and where the rows come from."""
    for row in shown.rows[:_MOST_ROWS]:
        known = row.explanation
        explained = known["problem"]["detail"] if known["status"] == "error" else known["summary"]
        yield f"{'New row' if row.is_sent else 'Row'} “{known['row_id']}”: {sentence(explained)}"
    if (n_more := len(shown.rows) - _MOST_ROWS) > 0:
        yield f"{counted(n_more, 'more row')} {'is' if n_more == 1 else 'are'} explained below."
    if n_sent := len(shown.sent):
        came = "came by its values" if n_sent == 1 else "came by their values"
        yield f"{counted(n_sent, 'row')} {came} with the request of this report, and not from the reference data."
    if shown.rows_dataset is not None:
        yield f"Rows are of “{name_or_id(shown.rows_dataset)}”, and not of the reference data."


def _decided(explained: Explained) -> str:
    """Return what the model decides or predicts, from what."""
    model, dataset = explained.model, explained.dataset
    n_trees, n_features = model["n_trees"], model["n_features"]  # hidden ones, which have no name here, among them
    said = Classes(model["classes"] or [], dataset).said
    built = f"{kind_of(model)} of {counted(n_trees, 'tree')}" if n_trees else kind_of(model)
    name = f"The model “{name_or_id(model)}”, {built} on {counted(n_features, 'feature')}"
    if model["decision"] is not None:
        outcomes = _quoted([said(band["outcome"]) for band in model["decision"]["bands"]])
        score = model["decision"].get("score_of")
        return f"{name}, decides {outcomes} by {'its value' if score is None else f'its score of “{said(score)}”'}."
    shown_columns = {column["name"] for column in dataset["columns"]}
    target = f" (“{dataset['target']}” in the data)" if dataset["target"] in shown_columns else ""
    if model["task"] == "regression":
        return f"{name}, predicts a number{target}."
    n_classes = counted(len(model["classes"]), "class", "classes")
    return f"{name}, predicts one of {n_classes}{target}: {_quoted([*map(said, model['classes'])])}."


def _quoted(names: list[str]) -> str:
    """Return the first names, and how many more there are."""
    some, n_more = names[:_MOST_NAMED], len(names) - _MOST_NAMED
    quoted = [*(f"“{each}”" for each in some), *([f"{n_more:,} more"] if n_more > 0 else [])]
    return " or ".join(filter(None, (", ".join(quoted[:-1]), quoted[-1])))


def _evaluated(evaluation: Json) -> str:
    """Return what an evaluation found, on which rows, and whether these are declared as held out."""
    result = evaluation["result"]
    return f"{result['summary']} Measured on “{name_or_id(evaluation['dataset'])}” ({result['measured_on']})."


def _measured(explained: Explained, evaluation: Json | None) -> Iterator[str]:
    """Yield how well the model predicts, and how well its prototypes predict the same, on which rows.

    Beside an evaluation on rows that are held out, the model's own figure on the prototypes' rows is left out.
    """
    beside = ModelContext(prototype_sets=[explained.prototype_set], columns=explained.dataset)
    *of_model, prototypes = trust_of(explained.model, beside)
    is_regression = explained.model["task"] == "regression"
    rows = measured_on(prototypes.n_rows, prototypes.on)
    agreed = ""
    if prototypes.agreement is not None:
        measure = "with an R² of" if is_regression else "for"
        agreed = f"the {prototypes.name} predicts as it does {measure} {prototypes.agreement}"
    if evaluation is not None and evaluation["result"]["held_out"]:
        if agreed:
            yield f"On {rows}, {agreed}."
        return
    if not of_model or of_model[0].accuracy is None:
        unknown = "How often it is right was not measured: the rows have no target"
        yield f"{unknown}; on {rows}, {agreed}." if agreed else f"{unknown}."
        return
    accuracy, constant = of_model[0].accuracy, of_model[0].constant
    always = "" if constant is None else f" ({share(constant)} by always the same answer)"
    right = f"R² is {number(accuracy)}" if is_regression else f"balanced accuracy is {share(accuracy)}{always}"
    yield f"On {rows}, its {right}{f'; {agreed}' if agreed else ''}."


def _counted_most(effects: Json, dataset: Json) -> str:
    """Return which features have the largest effects on average, on what, and over how many rows."""
    names = ColumnNames(dataset)
    most = [
        f"{names[each['feature']].said} ({brief(each['effect'])})"
        for each in effects["mean_absolute_effects"][:_MOST_FEATURES]
    ]
    n_rows = counted(effects["n_rows"], "reference row")
    scale = effect_scale(effects["scale"])
    return f"Averaged over {n_rows}, the sizes of effects on the {scale} are largest for {listed(most)}."


def _changed(other: Json, found: ReportComparison) -> str:
    """Return how much two models differ on the same rows."""
    beside = f"Beside “{name_or_id(other)}”, on {counted(found.n_rows, 'row')}"
    if found.n_changed is None:
        return f"{beside}, its values differ by {number(found.mean_difference or 0)} on average."
    what = "decision" if found.compared == "outcome" else "prediction"
    verb = "differs" if found.n_changed == 1 else "differ"
    return f"{beside}, {counted(found.n_changed, what)} {verb} ({share(found.n_changed / max(1, found.n_rows))})."


def _drifted(newer: Json, found: Drift) -> str:
    """Return how many shares of newer rows differ from those of the reference rows."""
    pairs = [found.total.far]
    for each in (*found.by_label, *found.by_prototype):
        pairs += [each.far, *([] if each.group is None else [each.group])]
    n_differing = sum(pair.differs for pair in pairs)
    compared = f"{counted(found.n_comparisons, 'share')} of the newer rows “{name_or_id(newer)}” that were compared"
    verb = "differs" if n_differing == 1 else "differ"
    return f"Of {compared}, {n_differing or 'none'} {verb} from the reference rows by more than chance would explain."


def _cautions(shown: ReportInputs) -> Iterator[str]:
    """Yield the first cautions about the figures above, and what was not tested."""
    explained = shown.own
    made = [
        explained.prototype_set,
        explained.rule_set if shown.shows("rules") else None,
        explained.approximation_tree if shown.shows("tree") else None,
    ]
    cautions = cautions_of([each for each in made if each is not None])
    yield from (f"Caution: {sentence(each)}" for each in cautions[:_MOST_CAUTIONS])
    if len(cautions) > _MOST_CAUTIONS:
        yield f"{len(cautions) - _MOST_CAUTIONS} more stand under “Limits”."
    if not explained.model.get("parity"):
        yield "Caution: that the model predicts as its library does was not tested."
