"""Texts for people show characters that would turn a line round or end it as escapes."""

from leafspace_client.texts import _lines


def test_names_cannot_turn_a_line_round_end_it_or_clear_a_terminal() -> None:
    lines = ["if \u202eRTL\u2028line \x1b[2J is above 1", "naïve café ≤ 3"]

    assert _lines(lines) == "if \\u202eRTL\\u2028line \\x1b[2J is above 1\nnaïve café ≤ 3"
