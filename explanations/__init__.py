"""Explanations of rows, made of a warm explainer: the very same for one row over HTTP and for all rows of a dataset."""
