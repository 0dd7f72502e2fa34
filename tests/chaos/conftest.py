"""Databases for tests of whole processes."""

from tests.support.databases import new_database_url, postgresql_url

__all__ = ["new_database_url", "postgresql_url"]
