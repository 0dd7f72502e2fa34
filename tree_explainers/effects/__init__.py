"""Effects: by how much each feature moves an ensemble's score from that of a reference case to that of a row.

Effects are Shapley values: a coalition of features is worth the raw score of the row that has these features from the
explained row and all others from the reference case. ``ensemble_effects.EnsembleEffects`` puts the parts together: the
players are raw features or groups of them (``players``), scores are sums of leaf values (``leaf_scores_in_scale``),
trees are walked by a row and its reference case together (``paired_walk``), and many rows are compared with many
reference rows by the patterns in which they fit the paths to the leaves (``path_patterns``).
"""
