"""Rules: a few boxes of raw features that stand for all the regions of an ensemble."""
