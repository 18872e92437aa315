"""The command ``schedcore``: reads workloads, runs policies, prints and draws results.

Results go to stdout, everything else to stderr. ``app`` is the typer application; ``schedcore.__main__.main``
starts it. typer and rich come with ``schedcore[cli]``.
"""
