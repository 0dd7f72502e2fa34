"""Leaves and sums of many rows by compiled loops, exactly as onnxruntime has them.

A session answers rows that come alone; here trees are walked for many rows at a time. Each value becomes the number of
its column's thresholds below it (``cuts``), so that a node is one machine word and a comparison one of integers
(``words``); eight rows go down a tree together (``loops``). ``walking.Walker`` puts this together, and
``comparison`` holds it against onnxruntime before it is used.
"""
