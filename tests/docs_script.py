"""The programs in the folder of the documentation that write its tables, as modules."""

import importlib.util
import sys
from pathlib import Path
from types import ModuleType


def docs_script(name: str) -> ModuleType:
    """Import ``docs/<name>.py``, which finds the others beside it."""
    folder = Path(__file__).parents[1] / "docs"
    if str(folder) not in sys.path:
        sys.path.append(str(folder))
    path = folder / f"{name}.py"
    spec = importlib.util.spec_from_file_location(name, path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module
