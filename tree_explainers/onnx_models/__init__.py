"""Models as ONNX graphs: the only place that imports ``onnx`` and ``onnxruntime``.

``reading.read_model`` parses, checks and takes a graph apart; ``session.ModelSession`` runs what it made. They are
imported from their modules, because a process that only runs models must not load the parser.
"""
