"""What holds for all tests: onnxruntime tells nobody about the models that it opens."""

import os

os.environ.setdefault("ORT_DISABLE_TELEMETRY", "1")
