"""How loops are compiled, shared between threads, and report their progress."""
