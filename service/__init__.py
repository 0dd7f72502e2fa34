"""HTTP: what callers reach; parses, calls one operation, answers."""
