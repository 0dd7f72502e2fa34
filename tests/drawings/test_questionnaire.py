"""A tree as a questionnaire: what the answers lead to, in words, with how often that is so."""

from leafspace_drawings import Links, TreeContext, draw_approximation_tree

from .documents import document


def test_the_end_says_the_outcome_in_words_with_its_shares_and_takes_an_answer_back() -> None:
    tree = document("ApproximationTree")
    first, second, *others = tree["result"]["classes"]
    shares = {first: 0.75, second: 0.25} | dict.fromkeys(others, 0.0)
    scores = [{"label": label, "value": value} for label, value in shares.items()]
    reached = document("NextQuestion") | {"question": None, "prediction": first, "scores": scores, "n_asked": 2}
    labels = [{"value": first, "label": "approved"}]
    dataset = {"id": "ds_1", "name": None, "columns": [{"name": "t", "role": "target", "labels": labels}]}
    for answers, is_offered in (({"age": "4", "job": "none"}, True), ({"age": "4"}, False)):
        context = TreeContext(None, dataset, reached, answers, Links(""))
        drawing = draw_approximation_tree(tree, context).partition('ls-ask"')[2].partition("</section>")[0]
        assert "<bdi>approved</bdi></p>" in drawing
        assert drawing.count("<b>75%</b>") == drawing.count("<b>25%</b>") == 1
        assert "<b>0%</b>" not in drawing
        assert ('data-action="undo" data-name="job"' in drawing) == is_offered
