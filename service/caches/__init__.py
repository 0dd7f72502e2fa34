"""Caches: what each process holds in memory of rows, keys, names, models and drawings."""
