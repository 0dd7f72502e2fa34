"""One explanation as plain values."""

import json

from explanations.explained_rows import _value_texts


def test_texts_with_commas_and_quotes_stand_beside_their_own_feature() -> None:
    """Texts of values are cut out of JSON at once where that is safe."""
    texts = ["a,b", '"', "\\", "é,", "", None, 1.5, True, 10**18, -0.0]

    assert [json.loads(piece) for piece in _value_texts(texts)] == texts
