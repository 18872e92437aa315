"""The command ``schedcore``, also ``python -m schedcore``."""

import gc
import sys

from schedcore.model.extras import import_extra


def main() -> None:
    """Run the command line and exit: 0 done, 1 a finding, 2 wrong use or input, 130 interrupted."""
    try:
        for package in ("typer", "rich"):
            import_extra(package, "cli")
    except ImportError as missing:
        print(f"schedcore: {missing}", file=sys.stderr)
        raise SystemExit(2) from None
    from schedcore.cli.app import app

    gc.set_threshold(10_000)  # a command makes many objects that last until it ends
    app(prog_name="schedcore")


if __name__ == "__main__":
    main()
