"""Identity: whose request it is, and what its key allows."""
