"""A small log of a batch system."""

from pathlib import Path


def write_site(folder: Path) -> Path:
    """60 jobs on 8 processors, which waited for some time; each asks for three times its run time."""
    rows = ["; MaxProcs: 8"]
    for job in range(1, 61):
        submit, run, size = 7 * job, 10 + 37 * job % 90, 1 + 5 * job % 8
        rows.append(
            f"{job} {submit} {11 * job % 300} {run} {size} -1 -1 {size} {3 * run} -1 1 1 1 1 1 1 -1 -1"
        )
    path = folder / "site.swf"
    path.write_text("\n".join(rows) + "\n")
    return path
