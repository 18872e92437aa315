"""Split a test suite over workers from the durations that pytest reports, and say how good the split can be.

    pytest --durations=0 -vv > durations.txt
    python split_test_suite.py durations.txt 4 > groups.txt

Without arguments the program splits the small report below over three workers.
"""

import re
import sys
from collections import Counter
from pathlib import Path

import schedcore

REPORT = """
41.30s call     tests/test_solver.py::test_large_instances
18.02s call     tests/test_solver.py::test_against_brute_force
 2.11s setup    tests/test_solver.py::test_large_instances
27.85s call     tests/test_import.py::test_every_version
22.40s call     tests/test_import.py::test_corrupt_files
31.17s call     tests/test_command_line.py::test_help_of_every_command
14.96s call     tests/test_command_line.py::test_exit_codes
12.50s call     tests/test_plots.py::test_all_styles
 9.73s call     tests/test_server.py::test_restart
 8.88s call     tests/test_server.py::test_many_clients
 7.95s setup    tests/test_server.py::test_many_clients
 6.31s call     tests/test_config.py::test_defaults
 3.02s teardown tests/test_server.py::test_many_clients
"""
LINE = re.compile(r"^\s*([\d.]+)s (?:setup|call|teardown)\s+(\S+?)::", re.MULTILINE)


def milliseconds_by_file(report: str) -> Counter[str]:
    """Add the durations of all phases of all tests of a file; whole numbers, so that sums are exact."""
    total: Counter[str] = Counter()
    for seconds, file in LINE.findall(report):
        total[file] += round(1000 * float(seconds))
    return total


def main() -> None:
    report = Path(sys.argv[1]).read_text(encoding="utf-8") if len(sys.argv) > 1 else REPORT
    n_workers = int(sys.argv[2]) if len(sys.argv) > 2 else 3
    durations = milliseconds_by_file(report)
    files = list(durations)
    split = schedcore.partition(list(durations.values()), n_workers)
    for worker, (tasks, duration) in enumerate(zip(split.groups(), split.load, strict=True)):
        print(f"worker {worker}, {duration / 1000:.1f} s: pytest {' '.join(files[task] for task in tasks)}")
    if split.is_optimal:
        print(f"All done after {split.makespan / 1000:.1f} s. No other split of these files is faster.")
    else:
        print(
            f"All done after {split.makespan / 1000:.1f} s, at most {split.gap():.2%} later than the best split."
        )


if __name__ == "__main__":
    main()
