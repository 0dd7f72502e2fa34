"""Workers: they do the jobs whose rows wait in the database."""
