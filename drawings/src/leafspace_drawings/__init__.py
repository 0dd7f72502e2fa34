"""Drawings of the answers of Leafspace's API: HTML and SVG without script."""

from . import report
from .approximation_tree import TreeContext, draw_approximation_tree, draw_next_question
from .charts import Chart, chart_of, svg_of
from .columns import ColumnName, ColumnNames
from .comparison import ComparisonContext, Measured, draw_comparison
from .dataset import CountsByClass, DatasetContext, draw_dataset
from .dictionary import DictionaryForm, draw_dictionary
from .document import notebook_output, style_sheet, whole_document
from .evaluation import EvaluationContext, draw_evaluation
from .explanation import RefusedValue, WhyContext, draw_explanation
from .explanations import draw_explanations
from .fact_card import Fact, FactCard, draw_fact_card
from .feature_set import draw_feature_set
from .forms import Choice, Entry, Form, Ticks, draw_forms, options_of, renaming
from .found import FeatureShown, Found, FoundFeature, FoundRow, draw_feature, draw_found
from .jobs import JobInput, Jobs, draw_jobs
from .label_audit import AuditContext, draw_label_audit
from .label_review import Queue, ReviewContext, draw_label_review
from .links import Links
from .map import MapContext, draw_map
from .mean_effects import OverRows
from .model import ModelContext, cautions_of, draw_model
from .new_row import DecidedRow, NewRowForm, PastedTable, draw_new_row_form, draw_pasted_rows
from .notice import draw_letter
from .operation import Operation, draw_operation
from .overview import Here, ModelFigure, draw_explainer, draw_overview, draw_pending
from .pictures import Picture, address_of, picture_of_id, pictures
from .place import Call, Place, draw_at
from .prototype_set import RepresentedRow, SetContext, draw_prototype_set, draw_represented
from .regions import Panel, RegionsContext, Side, draw_regions
from .registration import draw_registration
from .relational_forest import draw_relational_forest
from .rows import RowsPage, draw_rows
from .rule_set import RulesContext, draw_rule_set
from .value_fields import text_of

__all__ = [
    "AuditContext",
    "Call",
    "Chart",
    "Choice",
    "ColumnName",
    "ColumnNames",
    "ComparisonContext",
    "CountsByClass",
    "DatasetContext",
    "DecidedRow",
    "DictionaryForm",
    "Entry",
    "EvaluationContext",
    "Fact",
    "FactCard",
    "FeatureShown",
    "Form",
    "Found",
    "FoundFeature",
    "FoundRow",
    "Here",
    "JobInput",
    "Jobs",
    "Links",
    "MapContext",
    "Measured",
    "ModelContext",
    "ModelFigure",
    "NewRowForm",
    "Operation",
    "OverRows",
    "Panel",
    "PastedTable",
    "Picture",
    "Place",
    "Queue",
    "RefusedValue",
    "RegionsContext",
    "RepresentedRow",
    "ReviewContext",
    "RowsPage",
    "RulesContext",
    "SetContext",
    "Side",
    "Ticks",
    "TreeContext",
    "WhyContext",
    "address_of",
    "cautions_of",
    "chart_of",
    "draw_approximation_tree",
    "draw_at",
    "draw_comparison",
    "draw_dataset",
    "draw_dictionary",
    "draw_evaluation",
    "draw_explainer",
    "draw_explanation",
    "draw_explanations",
    "draw_fact_card",
    "draw_feature",
    "draw_feature_set",
    "draw_forms",
    "draw_found",
    "draw_jobs",
    "draw_label_audit",
    "draw_label_review",
    "draw_letter",
    "draw_map",
    "draw_model",
    "draw_new_row_form",
    "draw_next_question",
    "draw_operation",
    "draw_overview",
    "draw_pasted_rows",
    "draw_pending",
    "draw_prototype_set",
    "draw_regions",
    "draw_registration",
    "draw_relational_forest",
    "draw_represented",
    "draw_rows",
    "draw_rule_set",
    "notebook_output",
    "options_of",
    "picture_of_id",
    "pictures",
    "renaming",
    "report",
    "style_sheet",
    "svg_of",
    "text_of",
    "whole_document",
]
