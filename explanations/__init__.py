"""Explanations of rows by a warm explainer: the same over HTTP and in jobs, row by row and in blocks."""
