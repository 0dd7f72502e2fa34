"""UploadReaderSettings: the limits of a child process, and how many run at once."""

from dataclasses import dataclass, field

from storage.dataset_files import DatasetLimits
from tree_explainers.onnx_models.description import ModelLimits

_MEBIBYTE = 1024**2
_GIBIBYTE = 1024**3


@dataclass(frozen=True, slots=True)
class Allowance:
    """Limits of reading one upload: a base, and more for larger files."""

    seconds: float  # of processor time, so that a busy machine refuses nothing that it takes when it is idle
    seconds_per_mebibyte: float
    n_memory_bytes: int
    n_memory_bytes_per_byte: float
    n_file_bytes: int  # of any one file it writes

    def cpu_seconds(self, n_bytes: int) -> float:
        """Return the seconds of processor time that an upload of this size may take, the child's start included."""
        return self.seconds + self.seconds_per_mebibyte * n_bytes / _MEBIBYTE

    def memory(self, n_bytes: int) -> int:
        """Return the bytes of memory that an upload of this size may take."""
        return int(self.n_memory_bytes + self.n_memory_bytes_per_byte * n_bytes)


_MODEL = Allowance(
    seconds=8,  # a small file that takes longer is meant to
    seconds_per_mebibyte=0.5,
    n_memory_bytes=2 * _GIBIBYTE,
    n_memory_bytes_per_byte=8,
    n_file_bytes=8 * _GIBIBYTE,
)
_DATASET = Allowance(
    seconds=60,  # a small Parquet file may hold many rows
    seconds_per_mebibyte=0.5,
    n_memory_bytes=4 * _GIBIBYTE,
    n_memory_bytes_per_byte=1,
    n_file_bytes=16 * _GIBIBYTE,
)
_RELATIONAL_DATASET = Allowance(
    seconds=60,
    seconds_per_mebibyte=1,
    n_memory_bytes=4 * _GIBIBYTE,
    n_memory_bytes_per_byte=2,  # keys are matched in memory
    n_file_bytes=16 * _GIBIBYTE,
)


@dataclass(frozen=True, slots=True)
class UploadReaderSettings:
    """Everything about the reading of uploads that can be set."""

    n_at_once: int = 4
    wait_seconds: float = 10  # for a free child; then the caller has to try again
    least_share_of_a_core: float = 0.3  # a child that gets less is stopped: the caller has to try again
    model: Allowance = _MODEL
    dataset: Allowance = _DATASET
    relational_dataset: Allowance = _RELATIONAL_DATASET
    model_limits: ModelLimits = field(default_factory=ModelLimits)
    dataset_limits: DatasetLimits = field(default_factory=DatasetLimits)
    relational_limits: DatasetLimits = field(default_factory=DatasetLimits)  # of all tables together
    nice: int = 5  # predictions go first
