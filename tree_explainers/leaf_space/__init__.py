"""Leaf space: the leaves that rows fall into, the proximity of rows that share them, and the nearest rows."""
