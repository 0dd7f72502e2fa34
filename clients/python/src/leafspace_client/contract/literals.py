"""Enumerations of the contract.

Written by scripts/generate_client.py from openapi.json.
"""

from __future__ import annotations

from typing import Literal, TypeAlias

ApproximationTreeChooseBy: TypeAlias = Literal["gain", "fidelity"]
ApproximationTreeCompare: TypeAlias = Literal["all", "best_two"]
ApproximationTreeFittedOn: TypeAlias = Literal["dataset", "generator", "auto"]
ApproximationTreeLeafProbabilities: TypeAlias = Literal["rows", "independent"]
ApproximationTreeMethod: TypeAlias = Literal["auto", "sta", "ism", "born_again", "cart"]
ApproximationTreeResultMethod: TypeAlias = Literal["sta", "ism", "born_again", "cart"]
ApproximationTreeSignificanceLevelOf: TypeAlias = Literal["node", "tree"]
CautionCode: TypeAlias = Literal[
    "audited_by_training_labels",
    "candidates_split_nothing",
    "chosen_by_its_evaluation_rows",
    "class_not_known",
    "classes_without_prototype",
    "coarser_leaves",
    "few_rows",
    "few_rows_covered",
    "grown_from_its_evaluation_rows",
    "hardly_better_than_constant",
    "map_is_no_scale",
    "measured_on_its_own_rows",
    "measured_on_training_rows",
    "no_effects_compared",
    "one_label",
    "outcomes_without_rows",
    "splits_not_significant",
    "training_not_known",
    "uncertain_estimate",
]
CertificateObjectiveConstraint: TypeAlias = Literal["n_prototypes", "n_prototypes_per_class"]
CertificateObjectiveName: TypeAlias = Literal["coverage", "class_weighted_coverage"]
ColumnRole: TypeAlias = Literal["feature", "target", "row_id", "ignored"]
ComparedRowStatus: TypeAlias = Literal["ok", "error"]
ComparisonEffectsScale: TypeAlias = Literal["probability", "log_odds", "value", "share"]
Criterion: TypeAlias = Literal["gain", "gain_ratio"]
CutoffFiguresSource: TypeAlias = Literal["model", "band", "share"]
DatasetDriftConclusion: TypeAlias = Literal["differs", "no_difference_seen", "too_few_rows"]
DatasetSeparator: TypeAlias = Literal[",", ";", "\t", "|"]
DecidedRowDecision: TypeAlias = Literal["accept", "keep", "relabel", "unsure"]
Detail: TypeAlias = Literal["short", "full"]
Direction: TypeAlias = Literal["children", "parent"]
EffectsReferenceKind: TypeAlias = Literal["contrast", "nearest", "prototypes", "rows", "all"]
EffectsScale: TypeAlias = Literal["probability", "log_odds", "value"]
EvaluatedOn: TypeAlias = Literal["dataset", "evaluation_dataset"]
ExportApproximationTreeFormat: TypeAlias = Literal["json", "text", "graphviz", "svg", "sql", "python", "onnx", "html"]
ExportFeatureSetFormat: TypeAlias = Literal["json", "sql", "html"]
ExportLabelDecisionsFormat: TypeAlias = Literal["csv", "parquet", "json", "html"]
ExportPrototypeSetFormat: TypeAlias = Literal["json", "sql", "python", "onnx", "html"]
ExportRuleSetFormat: TypeAlias = Literal["json", "markdown", "sql", "python", "html"]
FeatureAggregateFunction: TypeAlias = Literal["count", "share", "mean", "sum", "min", "max", "mode", "n_distinct"]
FeatureDatasetStatus: TypeAlias = Literal["pending", "ready"]
InTreesOptionsDecay: TypeAlias = Literal["absolute", "relative"]
InTreesOptionsSelection: TypeAlias = Literal["regularized_forest", "none"]
Include: TypeAlias = Literal[
    "values",
    "intervals",
    "contrast",
    "rules",
    "approximation_path",
    "nearest_rows",
    "changes",
    "curves",
    "evidence",
    "training_rows",
]
JobEventEvent: TypeAlias = Literal["progress", "done"]
Kind: TypeAlias = Literal["value", "exists", "count", "share", "mean", "sum", "min", "max", "mode", "n_distinct"]
LabelAuditMethod: TypeAlias = Literal["auto", "all_rows", "neighbors"]
LabelAuditProximityKind: TypeAlias = Literal["auto", "random_forest", "boosting", "boosting_sd", "boosting_l1"]
LabelAuditResultMethod: TypeAlias = Literal["all_rows", "neighbors"]
LabelDecisionDecision: TypeAlias = Literal["accept", "keep", "relabel", "unsure", "withdrawn"]
Labels: TypeAlias = Literal["predicted", "target"]
LeafChoiceDecidedBy: TypeAlias = Literal["coverage", "score"]
LeafChoiceMeasure: TypeAlias = Literal["agreement", "r2"]
Level: TypeAlias = Literal["close", "typical", "far", "none"]
ListJobsKind: TypeAlias = Literal[
    "datasets",
    "feature_sets",
    "relational_forests",
    "proximities",
    "prototype_sets",
    "label_audits",
    "maps",
    "rule_sets",
    "approximation_trees",
    "explanation_sets",
    "comparisons",
    "evaluations",
    "reports",
]
ListJobsStatus: TypeAlias = Literal["queued", "running", "cancelling", "succeeded", "failed", "cancelled"]
MeasuredAgainst: TypeAlias = Literal["target", "model"]
ModelChangeComparedBy: TypeAlias = Literal["outcomes", "values"]
ModelEngineName: TypeAlias = Literal["walker", "onnxruntime"]
ModelEnsemble: TypeAlias = Literal["random_forest", "boosting", "other"]
ModelFeatureTypes: TypeAlias = Literal["number", "category"]
ModelWarningCode: TypeAlias = Literal[
    "transformed_features", "trees_decide_in_part", "weighted_ensembles", "unused_ensembles", "onnxruntime_differs"
]
Operator: TypeAlias = Literal["=", "<=", ">", "is_missing"]
Over: TypeAlias = Literal["tables", "features"]
PrototypeSetCertificateScope: TypeAlias = Literal["all_rows", "candidates"]
PrototypeSetMethod: TypeAlias = Literal["sm_u", "sm_a", "sm_wa", "sg", "a_pete", "k_medoids"]
PrototypeSetMetric: TypeAlias = Literal["balanced_accuracy", "accuracy", "balanced_fidelity", "fidelity"]
PrototypeSetPerOutcome: TypeAlias = Literal["auto", "by_gain", "equal", "by_rows"]
PrototypeSetProximityKind: TypeAlias = Literal[
    "auto", "random_forest", "boosting", "boosting_sd", "boosting_l1", "euclidean"
]
PrototypeSetRefine: TypeAlias = Literal["none", "swap"]
PrototypeSetResultProximityKind: TypeAlias = Literal[
    "random_forest", "boosting", "boosting_sd", "boosting_l1", "euclidean"
]
ProximitiesProximityKind: TypeAlias = Literal[
    "auto", "random_forest", "boosting", "boosting_sd", "boosting_l1", "euclidean", "gap", "oob", "kernel", "graded"
]
ProximitiesResultProximityKind: TypeAlias = Literal[
    "random_forest", "boosting", "boosting_sd", "boosting_l1", "euclidean", "gap", "oob", "kernel", "graded"
]
ProximityKind: TypeAlias = Literal["random_forest", "boosting", "boosting_sd", "boosting_l1"]
ReadOffMeasure: TypeAlias = Literal["fidelity", "r2_of_model"]
ReadinessDegraded: TypeAlias = Literal["redis", "objects", "disk", "database"]
RelationalColumnRole: TypeAlias = Literal["feature", "target", "key", "time", "id"]
RelationalForestMethod: TypeAlias = Literal["forf", "bagging", "tilde"]
RelationalForestPruning: TypeAlias = Literal["c45", "none"]
RelationalWarningCode: TypeAlias = Literal[
    "dates_without_time", "time_without_cutoff", "table_not_joined", "column_of_ids", "key_in_doubt"
]
ReportComparisonCompared: TypeAlias = Literal["outcome", "label", "value"]
ReportPartName: TypeAlias = Literal[
    "request",
    "summary",
    "model",
    "evaluation",
    "prototypes",
    "map",
    "rules",
    "tree",
    "rows",
    "audit",
    "compared",
    "comparison",
    "drift",
    "methods",
    "limits",
    "manifest",
]
ReportParts: TypeAlias = Literal["model", "evaluation", "prototypes", "rules", "tree"]
ReportVerificationStatus: TypeAlias = Literal["same", "different", "other_revision"]
RestartStart: TypeAlias = Literal["responsibilities", "eta", "algorithm_1"]
RuleSetBoxes: TypeAlias = Literal["whole", "shortened"]
RuleSetCombination: TypeAlias = Literal["first", "weighted_mean"]
RuleSetMethod: TypeAlias = Literal["rule_list", "fab", "em", "in_trees", "node_harvest", "decision_tree"]
RuleSetRegions: TypeAlias = Literal["fab", "em"]
RuleSetStart: TypeAlias = Literal["responsibilities", "eta", "algorithm_1", "in_turn"]
RunOn: TypeAlias = Literal["auto", "local", "cluster"]
Scopes: TypeAlias = Literal["read", "write", "explain", "deploy", "audit", "review", "admin"]
Status: TypeAlias = Literal["pending", "ready", "failed", "cancelled"]
Task: TypeAlias = Literal["classification", "regression"]
Type: TypeAlias = Literal["number", "category", "boolean"]
ValidationMeasure: TypeAlias = Literal["balanced_accuracy", "balanced_fidelity", "r2", "r2_of_model"]
