"""Prototypes: rows of a dataset that represent others, by the proximity of an ensemble."""
