"""One tree that stands for an ensemble: the ensemble as an oracle, splits of raw features, and how sure each is."""
