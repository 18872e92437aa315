"""What an experiment is, checked: workloads, policies, sweeps, figures and claims."""

from schedcore.model.extras import import_extra

import_extra("pydantic", "experiments")  # a missing one is named before a module of this folder imports it
