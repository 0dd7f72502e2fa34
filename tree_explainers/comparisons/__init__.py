"""Two models on the same rows, and one model on two sets of rows: where they differ, and by which features."""
