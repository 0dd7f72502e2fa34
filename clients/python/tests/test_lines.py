"""Texts for people show characters that would turn a line round or end it as escapes, and write numbers out."""

from leafspace_client.texts import _lines, number


def test_names_cannot_turn_a_line_round_end_it_or_clear_a_terminal() -> None:
    lines = ["if \u202eRTL\u2028line \x1b[2J is above 1", "naïve café ≤ 3"]

    assert _lines(lines) == "if \\u202eRTL\\u2028line \\x1b[2J is above 1\nnaïve café ≤ 3"


def test_numbers_have_six_digits_and_no_exponent() -> None:
    numbers = [580.15412, 1234567.25, 0.0000123456789, 123.0, -2.5e15, 1e-30, 0.0]

    assert [number(each) for each in numbers] == [
        "580.154",
        "1,234,567",
        "0.0000123457",
        "123",
        "-2,500,000,000,000,000",
        "1e-30",
        "0",
    ]
    assert number(None) == "missing"
