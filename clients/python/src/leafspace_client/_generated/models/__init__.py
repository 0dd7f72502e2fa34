"""Contains all the data models used in inputs/outputs"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .abstained_row import AbstainedRow
    from .against_target import AgainstTarget
    from .api_key import ApiKey
    from .api_key_request import ApiKeyRequest
    from .approximation_node import ApproximationNode
    from .approximation_path import ApproximationPath
    from .approximation_tree import ApproximationTree
    from .approximation_tree_evaluation import ApproximationTreeEvaluation
    from .approximation_tree_request import ApproximationTreeRequest
    from .approximation_tree_result import ApproximationTreeResult
    from .audit_leaf_step import AuditLeafStep
    from .audit_neighbor import AuditNeighbor
    from .audited_class import AuditedClass
    from .audited_row import AuditedRow
    from .baseline import Baseline
    from .baseline_score import BaselineScore
    from .body_register_dataset import BodyRegisterDataset
    from .body_register_model import BodyRegisterModel
    from .body_register_relational_dataset import BodyRegisterRelationalDataset
    from .bootstrap_generator import BootstrapGenerator
    from .caller_limits import CallerLimits
    from .candidate_splits import CandidateSplits
    from .cell import Cell
    from .certificate_objective import CertificateObjective
    from .class_prediction import ClassPrediction
    from .class_quality import ClassQuality
    from .class_row_coverage import ClassRowCoverage
    from .column import Column
    from .column_description import ColumnDescription
    from .compared_feature import ComparedFeature
    from .compared_row import ComparedRow
    from .comparison import Comparison
    from .condition import Condition
    from .constant_rule_scores import ConstantRuleScores
    from .constant_score import ConstantScore
    from .constant_tree_scores import ConstantTreeScores
    from .contrast import Contrast
    from .coverage import Coverage
    from .criticism import Criticism
    from .dataset import Dataset
    from .dataset_files import DatasetFiles
    from .dataset_generator import DatasetGenerator
    from .dataset_metadata import DatasetMetadata
    from .dataset_row import DatasetRow
    from .dataset_source import DatasetSource
    from .dataset_summary import DatasetSummary
    from .decided_row import DecidedRow
    from .decision_counts import DecisionCounts
    from .decision_tree_options import DecisionTreeOptions
    from .deleted_explanations import DeletedExplanations
    from .depth_validation import DepthValidation
    from .difference import Difference
    from .drift import Drift
    from .drift_share import DriftShare
    from .evaluation import Evaluation
    from .examples import Examples
    from .examples_metadata import ExamplesMetadata
    from .explained_row import ExplainedRow
    from .explainer import Explainer
    from .explainer_name import ExplainerName
    from .explainer_name_change import ExplainerNameChange
    from .explainer_name_request import ExplainerNameRequest
    from .explainer_request import ExplainerRequest
    from .explainer_summary import ExplainerSummary
    from .explanation_list import ExplanationList
    from .explanation_request import ExplanationRequest
    from .explanation_set import ExplanationSet
    from .explanation_set_request import ExplanationSetRequest
    from .explanation_set_result import ExplanationSetResult
    from .explanation_set_sizes import ExplanationSetSizes
    from .feature_aggregate import FeatureAggregate
    from .feature_condition import FeatureCondition
    from .feature_dataset import FeatureDataset
    from .feature_dataset_request import FeatureDatasetRequest
    from .feature_group import FeatureGroup
    from .feature_measure import FeatureMeasure
    from .feature_row import FeatureRow
    from .feature_row_list import FeatureRowList
    from .feature_rows_request import FeatureRowsRequest
    from .feature_rows_request_instances_item import FeatureRowsRequestInstancesItem
    from .feature_rows_request_instances_item_additional_property_item import FeatureRowsRequestInstancesItemAdditionalPropertyItem
    from .feature_selection import FeatureSelection
    from .feature_set import FeatureSet
    from .feature_set_request import FeatureSetRequest
    from .feature_set_result import FeatureSetResult
    from .feature_usage import FeatureUsage
    from .feature_usage_list import FeatureUsageList
    from .feature_variable import FeatureVariable
    from .field_problem import FieldProblem
    from .firing_rule import FiringRule
    from .foreign_key_metadata import ForeignKeyMetadata
    from .forest_evaluation import ForestEvaluation
    from .forest_scores import ForestScores
    from .forest_warning import ForestWarning
    from .frozen_decisions import FrozenDecisions
    from .generated_features import GeneratedFeatures
    from .generated_features_depth import GeneratedFeaturesDepth
    from .image_columns import ImageColumns
    from .image_columns_channels import ImageColumnsChannels
    from .implied_answer import ImpliedAnswer
    from .in_trees_options import InTreesOptions
    from .indicator_column import IndicatorColumn
    from .instance_type_0 import InstanceType0
    from .job import Job
    from .job_event import JobEvent
    from .kernel_generator import KernelGenerator
    from .label_audit import LabelAudit
    from .label_audit_request import LabelAuditRequest
    from .label_audit_result import LabelAuditResult
    from .label_change import LabelChange
    from .label_count import LabelCount
    from .label_decision import LabelDecision
    from .label_decision_request import LabelDecisionRequest
    from .leaf_step import LeafStep
    from .level_count import LevelCount
    from .liveness import Liveness
    from .map_ import Map
    from .map_preview import MapPreview
    from .map_request import MapRequest
    from .map_result import MapResult
    from .map_row import MapRow
    from .me import Me
    from .model import Model
    from .model_column import ModelColumn
    from .model_engine import ModelEngine
    from .model_metadata import ModelMetadata
    from .model_summary import ModelSummary
    from .model_warning import ModelWarning
    from .nearest_prototype import NearestPrototype
    from .nearest_row import NearestRow
    from .nearest_rows_options import NearestRowsOptions
    from .neighbor import Neighbor
    from .neighbors_of_row import NeighborsOfRow
    from .new_api_key import NewApiKey
    from .next_question import NextQuestion
    from .next_question_request import NextQuestionRequest
    from .next_question_request_answers import NextQuestionRequestAnswers
    from .node_harvest_options import NodeHarvestOptions
    from .odd_cell import OddCell
    from .page_api_key import PageApiKey
    from .page_approximation_tree import PageApproximationTree
    from .page_audited_row import PageAuditedRow
    from .page_dataset_row import PageDatasetRow
    from .page_dataset_summary import PageDatasetSummary
    from .page_decided_row import PageDecidedRow
    from .page_explainer_name import PageExplainerName
    from .page_explainer_name_change import PageExplainerNameChange
    from .page_explainer_summary import PageExplainerSummary
    from .page_explanation import PageExplanation
    from .page_explanation_set import PageExplanationSet
    from .page_feature_set import PageFeatureSet
    from .page_job import PageJob
    from .page_label_audit import PageLabelAudit
    from .page_label_decision import PageLabelDecision
    from .page_map import PageMap
    from .page_map_row import PageMapRow
    from .page_model_summary import PageModelSummary
    from .page_neighbors_of_row import PageNeighborsOfRow
    from .page_prototype_set import PagePrototypeSet
    from .page_proximities import PageProximities
    from .page_relational_dataset_summary import PageRelationalDatasetSummary
    from .page_relational_forest import PageRelationalForest
    from .page_report import PageReport
    from .page_represented_row import PageRepresentedRow
    from .page_rule_set import PageRuleSet
    from .page_stored_explanation_summary import PageStoredExplanationSummary
    from .parity import Parity
    from .parity_result import ParityResult
    from .path_leaf import PathLeaf
    from .path_node import PathNode
    from .place_list import PlaceList
    from .placed_row import PlacedRow
    from .places_request import PlacesRequest
    from .prediction_list import PredictionList
    from .prediction_request import PredictionRequest
    from .prediction_row import PredictionRow
    from .problem import Problem
    from .progress import Progress
    from .prototype import Prototype
    from .prototype_prediction import PrototypePrediction
    from .prototype_quality import PrototypeQuality
    from .prototype_set import PrototypeSet
    from .prototype_set_request import PrototypeSetRequest
    from .prototype_set_result import PrototypeSetResult
    from .provenance import Provenance
    from .proximities import Proximities
    from .proximities_request import ProximitiesRequest
    from .proximities_result import ProximitiesResult
    from .proximity_block import ProximityBlock
    from .proximity_block_request import ProximityBlockRequest
    from .query_language import QueryLanguage
    from .query_language_tables import QueryLanguageTables
    from .question import Question
    from .ranks_generator import RanksGenerator
    from .readiness import Readiness
    from .reason import Reason
    from .reason_interval import ReasonInterval
    from .refused_row import RefusedRow
    from .region import Region
    from .relational_column import RelationalColumn
    from .relational_dataset import RelationalDataset
    from .relational_dataset_metadata import RelationalDatasetMetadata
    from .relational_dataset_summary import RelationalDatasetSummary
    from .relational_feature import RelationalFeature
    from .relational_forest import RelationalForest
    from .relational_forest_request import RelationalForestRequest
    from .relational_forest_result import RelationalForestResult
    from .relational_table import RelationalTable
    from .relational_table_metadata import RelationalTableMetadata
    from .relational_tree import RelationalTree
    from .relational_warning import RelationalWarning
    from .relationship import Relationship
    from .renaming import Renaming
    from .report import Report
    from .report_input import ReportInput
    from .report_part import ReportPart
    from .report_request import ReportRequest
    from .report_result import ReportResult
    from .report_verification import ReportVerification
    from .represented_row import RepresentedRow
    from .requested_feature import RequestedFeature
    from .residual_permutation_generator import ResidualPermutationGenerator
    from .restart import Restart
    from .reviewed_row import ReviewedRow
    from .row_coverage import RowCoverage
    from .row_warning import RowWarning
    from .rule import Rule
    from .rule_feature import RuleFeature
    from .rule_scores import RuleScores
    from .rule_set import RuleSet
    from .rule_set_evaluation import RuleSetEvaluation
    from .rule_set_request import RuleSetRequest
    from .rule_set_result import RuleSetResult
    from .score import Score
    from .searched_rows import SearchedRows
    from .service_version import ServiceVersion
    from .set_quality import SetQuality
    from .share_comparison import ShareComparison
    from .share_interval import ShareInterval
    from .skipped_query import SkippedQuery
    from .smoothing import Smoothing
    from .source_dataset_request import SourceDatasetRequest
    from .stop_reason import StopReason
    from .stored_explanation import StoredExplanation
    from .stored_explanation_summary import StoredExplanationSummary
    from .structure_count import StructureCount
    from .table_language import TableLanguage
    from .tree import Tree
    from .tree_node import TreeNode
    from .typicality import Typicality
    from .typicality_scale import TypicalityScale
    from .validation import Validation
    from .value_prediction import ValuePrediction
    from .verification import Verification
    from .warning_count import WarningCount

_MODULES = {
    "AbstainedRow": "abstained_row",
    "AgainstTarget": "against_target",
    "ApiKey": "api_key",
    "ApiKeyRequest": "api_key_request",
    "ApproximationNode": "approximation_node",
    "ApproximationPath": "approximation_path",
    "ApproximationTree": "approximation_tree",
    "ApproximationTreeEvaluation": "approximation_tree_evaluation",
    "ApproximationTreeRequest": "approximation_tree_request",
    "ApproximationTreeResult": "approximation_tree_result",
    "AuditLeafStep": "audit_leaf_step",
    "AuditNeighbor": "audit_neighbor",
    "AuditedClass": "audited_class",
    "AuditedRow": "audited_row",
    "Baseline": "baseline",
    "BaselineScore": "baseline_score",
    "BodyRegisterDataset": "body_register_dataset",
    "BodyRegisterModel": "body_register_model",
    "BodyRegisterRelationalDataset": "body_register_relational_dataset",
    "BootstrapGenerator": "bootstrap_generator",
    "CallerLimits": "caller_limits",
    "CandidateSplits": "candidate_splits",
    "Cell": "cell",
    "CertificateObjective": "certificate_objective",
    "ClassPrediction": "class_prediction",
    "ClassQuality": "class_quality",
    "ClassRowCoverage": "class_row_coverage",
    "Column": "column",
    "ColumnDescription": "column_description",
    "ComparedFeature": "compared_feature",
    "ComparedRow": "compared_row",
    "Comparison": "comparison",
    "Condition": "condition",
    "ConstantRuleScores": "constant_rule_scores",
    "ConstantScore": "constant_score",
    "ConstantTreeScores": "constant_tree_scores",
    "Contrast": "contrast",
    "Coverage": "coverage",
    "Criticism": "criticism",
    "Dataset": "dataset",
    "DatasetFiles": "dataset_files",
    "DatasetGenerator": "dataset_generator",
    "DatasetMetadata": "dataset_metadata",
    "DatasetRow": "dataset_row",
    "DatasetSource": "dataset_source",
    "DatasetSummary": "dataset_summary",
    "DecidedRow": "decided_row",
    "DecisionCounts": "decision_counts",
    "DecisionTreeOptions": "decision_tree_options",
    "DeletedExplanations": "deleted_explanations",
    "DepthValidation": "depth_validation",
    "Difference": "difference",
    "Drift": "drift",
    "DriftShare": "drift_share",
    "Evaluation": "evaluation",
    "Examples": "examples",
    "ExamplesMetadata": "examples_metadata",
    "ExplainedRow": "explained_row",
    "Explainer": "explainer",
    "ExplainerName": "explainer_name",
    "ExplainerNameChange": "explainer_name_change",
    "ExplainerNameRequest": "explainer_name_request",
    "ExplainerRequest": "explainer_request",
    "ExplainerSummary": "explainer_summary",
    "ExplanationList": "explanation_list",
    "ExplanationRequest": "explanation_request",
    "ExplanationSet": "explanation_set",
    "ExplanationSetRequest": "explanation_set_request",
    "ExplanationSetResult": "explanation_set_result",
    "ExplanationSetSizes": "explanation_set_sizes",
    "FeatureAggregate": "feature_aggregate",
    "FeatureCondition": "feature_condition",
    "FeatureDataset": "feature_dataset",
    "FeatureDatasetRequest": "feature_dataset_request",
    "FeatureGroup": "feature_group",
    "FeatureMeasure": "feature_measure",
    "FeatureRow": "feature_row",
    "FeatureRowList": "feature_row_list",
    "FeatureRowsRequest": "feature_rows_request",
    "FeatureRowsRequestInstancesItem": "feature_rows_request_instances_item",
    "FeatureRowsRequestInstancesItemAdditionalPropertyItem": "feature_rows_request_instances_item_additional_property_item",
    "FeatureSelection": "feature_selection",
    "FeatureSet": "feature_set",
    "FeatureSetRequest": "feature_set_request",
    "FeatureSetResult": "feature_set_result",
    "FeatureUsage": "feature_usage",
    "FeatureUsageList": "feature_usage_list",
    "FeatureVariable": "feature_variable",
    "FieldProblem": "field_problem",
    "FiringRule": "firing_rule",
    "ForeignKeyMetadata": "foreign_key_metadata",
    "ForestEvaluation": "forest_evaluation",
    "ForestScores": "forest_scores",
    "ForestWarning": "forest_warning",
    "FrozenDecisions": "frozen_decisions",
    "GeneratedFeatures": "generated_features",
    "GeneratedFeaturesDepth": "generated_features_depth",
    "ImageColumns": "image_columns",
    "ImageColumnsChannels": "image_columns_channels",
    "ImpliedAnswer": "implied_answer",
    "InTreesOptions": "in_trees_options",
    "IndicatorColumn": "indicator_column",
    "InstanceType0": "instance_type_0",
    "Job": "job",
    "JobEvent": "job_event",
    "KernelGenerator": "kernel_generator",
    "LabelAudit": "label_audit",
    "LabelAuditRequest": "label_audit_request",
    "LabelAuditResult": "label_audit_result",
    "LabelChange": "label_change",
    "LabelCount": "label_count",
    "LabelDecision": "label_decision",
    "LabelDecisionRequest": "label_decision_request",
    "LeafStep": "leaf_step",
    "LevelCount": "level_count",
    "Liveness": "liveness",
    "Map": "map_",
    "MapPreview": "map_preview",
    "MapRequest": "map_request",
    "MapResult": "map_result",
    "MapRow": "map_row",
    "Me": "me",
    "Model": "model",
    "ModelColumn": "model_column",
    "ModelEngine": "model_engine",
    "ModelMetadata": "model_metadata",
    "ModelSummary": "model_summary",
    "ModelWarning": "model_warning",
    "NearestPrototype": "nearest_prototype",
    "NearestRow": "nearest_row",
    "NearestRowsOptions": "nearest_rows_options",
    "Neighbor": "neighbor",
    "NeighborsOfRow": "neighbors_of_row",
    "NewApiKey": "new_api_key",
    "NextQuestion": "next_question",
    "NextQuestionRequest": "next_question_request",
    "NextQuestionRequestAnswers": "next_question_request_answers",
    "NodeHarvestOptions": "node_harvest_options",
    "OddCell": "odd_cell",
    "PageApiKey": "page_api_key",
    "PageApproximationTree": "page_approximation_tree",
    "PageAuditedRow": "page_audited_row",
    "PageDatasetRow": "page_dataset_row",
    "PageDatasetSummary": "page_dataset_summary",
    "PageDecidedRow": "page_decided_row",
    "PageExplainerName": "page_explainer_name",
    "PageExplainerNameChange": "page_explainer_name_change",
    "PageExplainerSummary": "page_explainer_summary",
    "PageExplanation": "page_explanation",
    "PageExplanationSet": "page_explanation_set",
    "PageFeatureSet": "page_feature_set",
    "PageJob": "page_job",
    "PageLabelAudit": "page_label_audit",
    "PageLabelDecision": "page_label_decision",
    "PageMap": "page_map",
    "PageMapRow": "page_map_row",
    "PageModelSummary": "page_model_summary",
    "PageNeighborsOfRow": "page_neighbors_of_row",
    "PagePrototypeSet": "page_prototype_set",
    "PageProximities": "page_proximities",
    "PageRelationalDatasetSummary": "page_relational_dataset_summary",
    "PageRelationalForest": "page_relational_forest",
    "PageReport": "page_report",
    "PageRepresentedRow": "page_represented_row",
    "PageRuleSet": "page_rule_set",
    "PageStoredExplanationSummary": "page_stored_explanation_summary",
    "Parity": "parity",
    "ParityResult": "parity_result",
    "PathLeaf": "path_leaf",
    "PathNode": "path_node",
    "PlaceList": "place_list",
    "PlacedRow": "placed_row",
    "PlacesRequest": "places_request",
    "PredictionList": "prediction_list",
    "PredictionRequest": "prediction_request",
    "PredictionRow": "prediction_row",
    "Problem": "problem",
    "Progress": "progress",
    "Prototype": "prototype",
    "PrototypePrediction": "prototype_prediction",
    "PrototypeQuality": "prototype_quality",
    "PrototypeSet": "prototype_set",
    "PrototypeSetRequest": "prototype_set_request",
    "PrototypeSetResult": "prototype_set_result",
    "Provenance": "provenance",
    "Proximities": "proximities",
    "ProximitiesRequest": "proximities_request",
    "ProximitiesResult": "proximities_result",
    "ProximityBlock": "proximity_block",
    "ProximityBlockRequest": "proximity_block_request",
    "QueryLanguage": "query_language",
    "QueryLanguageTables": "query_language_tables",
    "Question": "question",
    "RanksGenerator": "ranks_generator",
    "Readiness": "readiness",
    "Reason": "reason",
    "ReasonInterval": "reason_interval",
    "RefusedRow": "refused_row",
    "Region": "region",
    "RelationalColumn": "relational_column",
    "RelationalDataset": "relational_dataset",
    "RelationalDatasetMetadata": "relational_dataset_metadata",
    "RelationalDatasetSummary": "relational_dataset_summary",
    "RelationalFeature": "relational_feature",
    "RelationalForest": "relational_forest",
    "RelationalForestRequest": "relational_forest_request",
    "RelationalForestResult": "relational_forest_result",
    "RelationalTable": "relational_table",
    "RelationalTableMetadata": "relational_table_metadata",
    "RelationalTree": "relational_tree",
    "RelationalWarning": "relational_warning",
    "Relationship": "relationship",
    "Renaming": "renaming",
    "Report": "report",
    "ReportInput": "report_input",
    "ReportPart": "report_part",
    "ReportRequest": "report_request",
    "ReportResult": "report_result",
    "ReportVerification": "report_verification",
    "RepresentedRow": "represented_row",
    "RequestedFeature": "requested_feature",
    "ResidualPermutationGenerator": "residual_permutation_generator",
    "Restart": "restart",
    "ReviewedRow": "reviewed_row",
    "RowCoverage": "row_coverage",
    "RowWarning": "row_warning",
    "Rule": "rule",
    "RuleFeature": "rule_feature",
    "RuleScores": "rule_scores",
    "RuleSet": "rule_set",
    "RuleSetEvaluation": "rule_set_evaluation",
    "RuleSetRequest": "rule_set_request",
    "RuleSetResult": "rule_set_result",
    "Score": "score",
    "SearchedRows": "searched_rows",
    "ServiceVersion": "service_version",
    "SetQuality": "set_quality",
    "ShareComparison": "share_comparison",
    "ShareInterval": "share_interval",
    "SkippedQuery": "skipped_query",
    "Smoothing": "smoothing",
    "SourceDatasetRequest": "source_dataset_request",
    "StopReason": "stop_reason",
    "StoredExplanation": "stored_explanation",
    "StoredExplanationSummary": "stored_explanation_summary",
    "StructureCount": "structure_count",
    "TableLanguage": "table_language",
    "Tree": "tree",
    "TreeNode": "tree_node",
    "Typicality": "typicality",
    "TypicalityScale": "typicality_scale",
    "Validation": "validation",
    "ValuePrediction": "value_prediction",
    "Verification": "verification",
    "WarningCount": "warning_count",
}

__all__ = (
    "AbstainedRow",
    "AgainstTarget",
    "ApiKey",
    "ApiKeyRequest",
    "ApproximationNode",
    "ApproximationPath",
    "ApproximationTree",
    "ApproximationTreeEvaluation",
    "ApproximationTreeRequest",
    "ApproximationTreeResult",
    "AuditedClass",
    "AuditedRow",
    "AuditLeafStep",
    "AuditNeighbor",
    "Baseline",
    "BaselineScore",
    "BodyRegisterDataset",
    "BodyRegisterModel",
    "BodyRegisterRelationalDataset",
    "BootstrapGenerator",
    "CallerLimits",
    "CandidateSplits",
    "Cell",
    "CertificateObjective",
    "ClassPrediction",
    "ClassQuality",
    "ClassRowCoverage",
    "Column",
    "ColumnDescription",
    "ComparedFeature",
    "ComparedRow",
    "Comparison",
    "Condition",
    "ConstantRuleScores",
    "ConstantScore",
    "ConstantTreeScores",
    "Contrast",
    "Coverage",
    "Criticism",
    "Dataset",
    "DatasetFiles",
    "DatasetGenerator",
    "DatasetMetadata",
    "DatasetRow",
    "DatasetSource",
    "DatasetSummary",
    "DecidedRow",
    "DecisionCounts",
    "DecisionTreeOptions",
    "DeletedExplanations",
    "DepthValidation",
    "Difference",
    "Drift",
    "DriftShare",
    "Evaluation",
    "Examples",
    "ExamplesMetadata",
    "ExplainedRow",
    "Explainer",
    "ExplainerName",
    "ExplainerNameChange",
    "ExplainerNameRequest",
    "ExplainerRequest",
    "ExplainerSummary",
    "ExplanationList",
    "ExplanationRequest",
    "ExplanationSet",
    "ExplanationSetRequest",
    "ExplanationSetResult",
    "ExplanationSetSizes",
    "FeatureAggregate",
    "FeatureCondition",
    "FeatureDataset",
    "FeatureDatasetRequest",
    "FeatureGroup",
    "FeatureMeasure",
    "FeatureRow",
    "FeatureRowList",
    "FeatureRowsRequest",
    "FeatureRowsRequestInstancesItem",
    "FeatureRowsRequestInstancesItemAdditionalPropertyItem",
    "FeatureSelection",
    "FeatureSet",
    "FeatureSetRequest",
    "FeatureSetResult",
    "FeatureUsage",
    "FeatureUsageList",
    "FeatureVariable",
    "FieldProblem",
    "FiringRule",
    "ForeignKeyMetadata",
    "ForestEvaluation",
    "ForestScores",
    "ForestWarning",
    "FrozenDecisions",
    "GeneratedFeatures",
    "GeneratedFeaturesDepth",
    "ImageColumns",
    "ImageColumnsChannels",
    "ImpliedAnswer",
    "IndicatorColumn",
    "InstanceType0",
    "InTreesOptions",
    "Job",
    "JobEvent",
    "KernelGenerator",
    "LabelAudit",
    "LabelAuditRequest",
    "LabelAuditResult",
    "LabelChange",
    "LabelCount",
    "LabelDecision",
    "LabelDecisionRequest",
    "LeafStep",
    "LevelCount",
    "Liveness",
    "Map",
    "MapPreview",
    "MapRequest",
    "MapResult",
    "MapRow",
    "Me",
    "Model",
    "ModelColumn",
    "ModelEngine",
    "ModelMetadata",
    "ModelSummary",
    "ModelWarning",
    "NearestPrototype",
    "NearestRow",
    "NearestRowsOptions",
    "Neighbor",
    "NeighborsOfRow",
    "NewApiKey",
    "NextQuestion",
    "NextQuestionRequest",
    "NextQuestionRequestAnswers",
    "NodeHarvestOptions",
    "OddCell",
    "PageApiKey",
    "PageApproximationTree",
    "PageAuditedRow",
    "PageDatasetRow",
    "PageDatasetSummary",
    "PageDecidedRow",
    "PageExplainerName",
    "PageExplainerNameChange",
    "PageExplainerSummary",
    "PageExplanation",
    "PageExplanationSet",
    "PageFeatureSet",
    "PageJob",
    "PageLabelAudit",
    "PageLabelDecision",
    "PageMap",
    "PageMapRow",
    "PageModelSummary",
    "PageNeighborsOfRow",
    "PagePrototypeSet",
    "PageProximities",
    "PageRelationalDatasetSummary",
    "PageRelationalForest",
    "PageReport",
    "PageRepresentedRow",
    "PageRuleSet",
    "PageStoredExplanationSummary",
    "Parity",
    "ParityResult",
    "PathLeaf",
    "PathNode",
    "PlacedRow",
    "PlaceList",
    "PlacesRequest",
    "PredictionList",
    "PredictionRequest",
    "PredictionRow",
    "Problem",
    "Progress",
    "Prototype",
    "PrototypePrediction",
    "PrototypeQuality",
    "PrototypeSet",
    "PrototypeSetRequest",
    "PrototypeSetResult",
    "Provenance",
    "Proximities",
    "ProximitiesRequest",
    "ProximitiesResult",
    "ProximityBlock",
    "ProximityBlockRequest",
    "QueryLanguage",
    "QueryLanguageTables",
    "Question",
    "RanksGenerator",
    "Readiness",
    "Reason",
    "ReasonInterval",
    "RefusedRow",
    "Region",
    "RelationalColumn",
    "RelationalDataset",
    "RelationalDatasetMetadata",
    "RelationalDatasetSummary",
    "RelationalFeature",
    "RelationalForest",
    "RelationalForestRequest",
    "RelationalForestResult",
    "RelationalTable",
    "RelationalTableMetadata",
    "RelationalTree",
    "RelationalWarning",
    "Relationship",
    "Renaming",
    "Report",
    "ReportInput",
    "ReportPart",
    "ReportRequest",
    "ReportResult",
    "ReportVerification",
    "RepresentedRow",
    "RequestedFeature",
    "ResidualPermutationGenerator",
    "Restart",
    "ReviewedRow",
    "RowCoverage",
    "RowWarning",
    "Rule",
    "RuleFeature",
    "RuleScores",
    "RuleSet",
    "RuleSetEvaluation",
    "RuleSetRequest",
    "RuleSetResult",
    "Score",
    "SearchedRows",
    "ServiceVersion",
    "SetQuality",
    "ShareComparison",
    "ShareInterval",
    "SkippedQuery",
    "Smoothing",
    "SourceDatasetRequest",
    "StopReason",
    "StoredExplanation",
    "StoredExplanationSummary",
    "StructureCount",
    "TableLanguage",
    "Tree",
    "TreeNode",
    "Typicality",
    "TypicalityScale",
    "Validation",
    "ValuePrediction",
    "Verification",
    "WarningCount",
)

if not TYPE_CHECKING:

    def __getattr__(name: str) -> Any:
        if name not in _MODULES:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        globals()[name] = getattr(import_module(f".{_MODULES[name]}", __name__), name)
        return globals()[name]

    def __dir__() -> list[str]:
        return sorted(__all__)
