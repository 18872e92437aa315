"""What is in a file: its columns, its jobs, their load over time, and what to type next."""

from schedcore.inspection.workload_inspection import inspect_workload

__all__ = ["inspect_workload"]
