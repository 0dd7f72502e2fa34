from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from explanations.reference_file import Outcomes, ReferenceFile, ReferenceLeaves, write_reference_file
from storage.dataset_files import DatasetFile
from tests.support.workshop import Workshop, workshop_in
