"""What the splits of an ensemble and the conditions of explanations test of raw features: below all methods."""
