"""Everything kept: objects by content, rows in a database, datasets as columns."""
