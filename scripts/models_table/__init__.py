"""The table of models, inputs and graphs that are tried, and what happens: cases as data, and their trial."""

from . import (
    catboost_cases,
    converted_graph_cases,
    cut_off_cases,
    frame_cases,
    graph_operator_cases,
    lightgbm_cases,
    part_cases,
    pipeline_cases,
    sklearn_cases,
    sparse_cases,
    wrapper_cases,
    written_graph_cases,
    xgboost_cases,
)

_MODULES = (
    *(sklearn_cases, xgboost_cases, lightgbm_cases, catboost_cases, cut_off_cases, wrapper_cases, pipeline_cases),
    *(part_cases, sparse_cases, frame_cases, converted_graph_cases, written_graph_cases, graph_operator_cases),
)
GROUPS = tuple(group for module in _MODULES for group in module.GROUPS)
