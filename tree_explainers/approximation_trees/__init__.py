"""One tree that represents an ensemble: grown by STA, ISM, or CART on pseudo rows as a control.

Start with ``sta.py`` or ``ism.py``, which grow trees (``trees.py``) with the help of ``tree_growth.py``.

- **STA**: ``oracle.py`` (the model), ``candidates.py`` and ``smoothing.py`` (splits and pseudo rows of a node, inside
  its ``node_boxes.py``), ``pseudo_samples.py``, ``split_sums.py``, ``split_variances.py`` and ``split_choice.py`` (the
  test of better split).
- **ISM**: ``ism_growth.py``; ``information_gain.py``, ``ordered_tests.py``, ``coverlists.py`` and ``mixed_tests.py``
  (gains of tests), ``statement_conditions.py`` (tests as conditions on raw values); safe pruning: ``bin_boxes.py``,
  ``closed_boxes.py``, ``reachable_leaves.py`` and ``class_bounds.py``, on ``questions/node_conditions.py``;
  ``merging.py`` afterwards.
- **Controls**: ``controls.py`` and ``cart_trees.py``. **Evaluation**: ``fidelity.py``. **Export**: ``onnx_form.py``.
- **Rows that no process holds**: ``partitioned_fidelity.py``, ``partitioned_ism.py``.
"""
