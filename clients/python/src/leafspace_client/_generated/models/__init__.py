"""Contains all the data models used in inputs/outputs"""

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
from .feature_rows_request_instances_item_additional_property_item import (
    FeatureRowsRequestInstancesItemAdditionalPropertyItem,
)
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
