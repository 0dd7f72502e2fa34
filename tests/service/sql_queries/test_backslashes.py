"""Texts with a backslash: databases in which it escapes the next character are named above the SQL."""

import duckdb

from service.sql_queries.expressions import sql_text, with_warning

_NAME = "\\' THEN 0 END, (SELECT 1) --"


def test_sql_with_a_backslash_says_where_it_must_not_be_run_as_it_is() -> None:
    sql = with_warning(f"SELECT {sql_text(_NAME)}")

    comment, *_ = sql.splitlines()
    assert comment.startswith("-- A backslash in a text is a plain character here")
    assert duckdb.connect().execute(sql).fetchall() == [(_NAME,)]


def test_sql_without_one_says_nothing_of_it() -> None:
    assert with_warning("SELECT 1") == "SELECT 1"
