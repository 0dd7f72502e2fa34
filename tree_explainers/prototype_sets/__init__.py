"""Prototypes: rows of the dataset that stand for others, as the ensemble sees them."""
