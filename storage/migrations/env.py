"""Alembic's entry: run migrations on the connection that ``Database.migrate`` hands over."""

from alembic import context

from storage.tables import metadata

context.configure(connection=context.config.attributes["connection"], target_metadata=metadata)
with context.begin_transaction():
    context.run_migrations()
