"""Refused names: classes of models that cannot be registered, each with why, and what to do instead."""

_RANKS = "it ranks the rows of a query, and predicts neither classes nor values of their own"
_NEIGHBOURS = "it compares rows with all that it was fitted on, which the graph cannot hold; use a model of trees"
_SURVIVAL = "it predicts survival functions; fit a classifier of an event before a date, or a regressor of a risk score"
_QUANTILES = "it predicts quantiles of what its leaves hold; fit a RandomForestRegressor with the same parameters"
SEVERAL = "it predicts several targets at once; fit one model for each"
STACKED = "its trees are not the ones that decide; register it with oracle_only=True to approximate it by a tree"
REFUSED: dict[str, str] = {
    **dict.fromkeys(
        ("IsolationForest", "OutlierMixin"), "it scores outliers, and is neither a classifier nor a regressor"
    ),
    "ClusterMixin": "it groups rows, and is neither a classifier nor a regressor",
    "OneVsOneClassifier": (
        "it decides by the votes of pairs of classes and has no scores; fit its estimator without it, which takes all "
        "classes at once, or an OneVsRestClassifier"
    ),
    "OutputCodeClassifier": (
        "it decides by distances to codes of the classes and has no scores; fit its estimator without it, which takes "
        "all classes at once, or an OneVsRestClassifier"
    ),
    "RandomTreesEmbedding": "it makes features, and is neither a classifier nor a regressor",
    **dict.fromkeys(("StackingClassifier", "StackingRegressor"), STACKED),
    **dict.fromkeys(("KNeighborsMixin", "RadiusNeighborsMixin"), _NEIGHBOURS),
    **dict.fromkeys(("GaussianProcessClassifier", "GaussianProcessRegressor"), _NEIGHBOURS),
    **dict.fromkeys(("XGBRanker", "LGBMRanker", "CatBoostRanker"), _RANKS),
    **dict.fromkeys(("RandomSurvivalForest", "ExtraSurvivalTrees", "SurvivalTree"), _SURVIVAL),
    **dict.fromkeys(
        ("GradientBoostingSurvivalAnalysis", "ComponentwiseGradientBoostingSurvivalAnalysis", "XGBSEBaseEstimator"),
        _SURVIVAL,
    ),
    **dict.fromkeys(("BaseForestQuantileRegressor", "RandomForestQuantileRegressor"), _QUANTILES),
    **dict.fromkeys(("MultiOutputClassifier", "MultiOutputRegressor", "ClassifierChain", "RegressorChain"), SEVERAL),
}
