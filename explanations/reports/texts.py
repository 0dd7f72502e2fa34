"""What a report says in sentences: by which published methods its results were found, and what limits them."""

from collections.abc import Iterator, Mapping

from leafspace_drawings.remedies import caution_text
from leafspace_drawings.words import sentence

from .inputs import Json, ReportInputs

_PROTOTYPES: Mapping[str, str] = {
    "sm_u": "greedy coverage SM-U (Tan, Soloviev, Hooker and Wells 2020, algorithm 1)",
    "sm_a": "greedy coverage SM-A (Tan, Soloviev, Hooker and Wells 2020, algorithm 1)",
    "sm_wa": "greedy coverage SM-WA (Tan, Soloviev, Hooker and Wells 2020, algorithm 1)",
    "sg": "supervised greedy selection SG (Tan, Soloviev, Hooker and Wells 2020)",
    "a_pete": "A-PETE (Karolczak and Stefanowski 2024, algorithm 1)",
    "k_medoids": "k-medoids (Kaufman and Rousseeuw 1987; Tan, Soloviev, Hooker and Wells 2020, equation 2)",
}
_RULES: Mapping[str, str] = {
    "rule_list": "a search for few and short rules among boxes of the ensemble (boxes: Hara and Hayashi 2018)",
    "fab": "regions fitted by factorised asymptotic Bayesian inference (Hara and Hayashi 2018)",
    "em": "regions fitted by expectation maximisation (Hara and Hayashi 2018)",
    "in_trees": "inTrees (Deng 2014)",
    "node_harvest": "Node Harvest (Meinshausen 2010)",
    "decision_tree": "a small decision tree (Hara and Hayashi 2018, section 7)",
}
_TREES: Mapping[str, str] = {
    "sta": "single-tree approximation with tests of each split (Zhou and Hooker 2016, algorithm 1)",
    "ism": "the ensemble's own conditions put into one tree, ISM (Van Assche and Blockeel 2007)",
    "cart": "CART on rows that the ensemble labelled (Zhou and Hooker 2016, section 4.1.2)",
    "born_again": "a born-again tree (Breiman and Shang 1996)",
}
_AUDITS: Mapping[str, str] = {
    "all_rows": "the vote of all rows by proximity",
    "neighbors": "the vote of the nearest rows (Tan, Soloviev, Hooker and Wells 2020)",
}


def methods_of(shown: ReportInputs) -> list[str]:
    """Return a sentence for each method."""
    return list(_methods(shown))


def limits_of(shown: ReportInputs) -> list[str]:
    """Return a sentence for each limit."""
    return list(_limits(shown))


def _comparing_methods(shown: ReportInputs) -> Iterator[str]:
    """Yield how models, rows and groups were compared."""
    if shown.comparison is not None:
        yield (
            "Where two models differ was searched by weighted relative accuracy (Lavrac and others 2004); two datasets "
            "were compared by Kolmogorov-Smirnov distances, adjusted as Holm (1979) does."
        )
    if shown.evaluation is not None:
        yield (
            "Figures of predictions have 95 % intervals for rows drawn independently: Wilson's (1927) of shares, "
            "DeLong's (1988) of areas under ROC curves, the normal distribution's of means. Groups are compared with "
            "the rest by Newcombe's method 10 (1998), so that all comparisons hold together with 95 %."
        )


def _methods(shown: ReportInputs) -> Iterator[str]:
    explained = shown.own
    yield (
        "Two rows are alike as far as they share leaves: their proximity is the share of trees, by weight, in which "
        "both reach the same leaf (Tan, Soloviev, Hooker and Wells 2020, definitions 1 and 3)."
    )
    yield f"Prototypes were chosen by {_named(explained.prototype_set, _PROTOTYPES)}."
    if explained.prototype_set["result"].get("certificate") is not None:
        yield (
            "Optimality is a proven lower bound: at least this share of the best coverage that as many prototypes "
            "could reach is reached (Nemhauser, Wolsey and Fisher 1978; Cornuejols, Fisher and Nemhauser 1977). It "
            "bounds coverage, not how well prototypes predict."
        )
    if shown.map is not None:
        yield (
            "The map was laid out by t-SNE from each row's nearest rows in leaf space (van der Maaten and Hinton "
            "2008); distances between far rows mean nothing in it."
        )
    yield from _comparing_methods(shown)
    if explained.rule_set is not None and shown.shows("rules"):
        yield f"Rules were found by {_named(explained.rule_set, _RULES)}."
    if explained.approximation_tree is not None and shown.shows("tree"):
        yield f"The tree was grown by {_named(explained.approximation_tree, _TREES)}."
    if shown.label_audit is not None:
        yield f"Labels were audited by {_named(shown.label_audit, _AUDITS)}."
        wrong = shown.label_audit["result"].get("estimated_wrong")
        if wrong is not None:
            yield (
                f"How many labels are wrong was estimated by {wrong['n_trees']:,} trees that were grown on "
                f"{wrong['n_rows']:,} rows: by labels that are contradicted where trees that did not learn from a row "
                "are surest, less what overlapping classes usually leave there."
            )
    if shown.rows:
        yield (
            "The reasons of an explained row are exact: whatever value the row had inside a stretch, all the trees "
            "that put it beside its prototype would still do so."
        )
        yield (
            "Effects of features, where they are shown, are exact Shapley values of the model's score against the "
            "prototype that is named: all together add up to the difference of the two scores. They are effects in the "
            "model, and not in the world."
        )
    if shown.newer_dataset is not None:
        yield (
            "A row is far where nearly all rows that the prototypes were compared with are nearer to one, or where it "
            "shares no leaf with any."
        )


def _limits(shown: ReportInputs) -> Iterator[str]:
    explained = shown.own
    if shown.sent:
        yield (
            "The values of rows that came with the request are as they were sent: nothing here checked that they are "
            "true, and nobody knows their outcomes yet."
        )
    yield from _evaluation("Prototypes", explained.prototype_set)
    rules = explained.rule_set if shown.shows("rules") else None
    tree = explained.approximation_tree if shown.shows("tree") else None
    for name, document in (("Rules", rules), ("The tree", tree)):
        if document is not None:
            yield from _evaluation(name, document)
    scope = explained.prototype_set["result"].get("certificate_scope")
    if scope == "candidates":
        n_candidates = explained.prototype_set["result"]["n_candidates"]
        yield f"Prototypes were chosen among {n_candidates:,} sampled rows; the share of optimality is about these."
    if shown.label_audit is not None and shown.label_audit["result"].get("estimated_wrong"):
        yield (
            "How many labels are wrong is an estimate: where classes overlap, right labels are contradicted as wrong "
            "ones are, and the number is too high as a rule. On ten data sets, the interval held the number of planted "
            "wrong labels about as often as it says."
        )
    if shown.label_audit is not None:
        yield from _cautions("Label audit", shown.label_audit)
    if not explained.model.get("parity"):
        yield "The model was registered without rows to compare: that it predicts as its library does was not tested."
    yield "Nothing here says that a feature causes an outcome: all results are about the model."


def _evaluation(name: str, document: Json) -> Iterator[str]:
    """Yield on which rows a result was evaluated, and its cautions."""
    result = document["result"]
    on = result["evaluated_on"] if "evaluated_on" in result else result["evaluation"]["evaluated_on"]
    rows = "other rows than those" if on == "evaluation_dataset" else "the reference rows, those"
    yield f"{name}: evaluated on {rows} that they were made from."
    yield from _cautions(name, document)


def _cautions(name: str, document: Json) -> Iterator[str]:
    for caution in document["result"]["cautions"]:
        yield f"{name}: {sentence(caution_text(caution))}"


def _named(document: Json, names: Mapping[str, str]) -> str:
    method = document["request"].get("method") or document["result"].get("method", "")
    result_method = document["result"].get("method", method)
    return names.get(result_method, names.get(method, str(method)))
