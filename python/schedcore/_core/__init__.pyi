"""Signatures of the compiled core, a stub a room.

Hand-written; a test compares the parameter names with the bindings.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from . import backfilling as backfilling
from . import bounds as bounds
from . import colocation as colocation
from . import engine as engine
from . import gangs as gangs
from . import index as index
from . import metrics as metrics
from . import model as model
from . import online as online
from . import packing as packing
from . import parallel_tasks as parallel_tasks
from . import preemptive as preemptive
from . import site as site
from . import validation as validation
from . import whole_machines as whole_machines
from . import workloads as workloads

_Float64Array = NDArray[np.float64]
_Int64Array = NDArray[np.int64]

def build_config() -> dict[str, Any]: ...
