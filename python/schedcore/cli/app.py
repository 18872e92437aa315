"""The application: its commands, and how errors become exit codes.

0: done. 1: a finding, such as an invalid schedule or a policy that failed. 2: wrong use or input, told in one
sentence on stderr. 130: interrupted.
"""

import logging
import sys
from typing import Annotated, Any

import typer
from typer.core import TyperGroup

import schedcore
from schedcore.cli import (
    bounds,
    calibrate,
    check_policy,
    compare,
    convert,
    experiment,
    generate,
    inspect,
    policies,
    run,
    snapshot,
    validate,
    what_if,
    when,
)
from schedcore.cli.configuration import configured
from schedcore.cli.help_by_problem import HelpByProblem
from schedcore.errors import PolicyError, SchedcoreError


class ExitCodes(TyperGroup):
    """Commands whose expected errors end with a sentence on stderr instead of a traceback."""

    def invoke(self, ctx: Any) -> Any:
        try:
            return super().invoke(ctx)
        except PolicyError as error:
            raise _exit(1, str(error)) from None
        except SchedcoreError as error:
            raise _exit(2, str(error)) from None
        except BrokenPipeError:
            raise
        except OSError as error:
            reason = f"{error.strerror}: {error.filename}" if error.filename else error.strerror or str(error)
            raise _exit(2, reason) from None
        except ImportError as error:
            if not isinstance(error.__cause__, ImportError):  # not a missing extra
                raise
            raise _exit(2, str(error)) from None
        except MemoryError:
            raise _exit(
                2, "there is not enough memory for this; try it with fewer jobs or machines"
            ) from None
        except KeyboardInterrupt:
            raise _exit(130, "interrupted") from None


def _exit(code: int, message: str) -> typer.Exit:
    print(f"schedcore: {message}", file=sys.stderr)
    return typer.Exit(code)


app = typer.Typer(
    cls=ExitCodes, no_args_is_help=True, pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)  # fmt: skip


def _print_version(wanted: bool) -> None:
    if wanted:
        print(f"schedcore {schedcore.__version__}")
        raise typer.Exit


@app.callback()
def schedcore_command(
    verbose: Annotated[
        int, typer.Option("--verbose", "-v", count=True, help="Log to stderr; -vv logs more.")
    ] = 0,
    version: Annotated[
        bool, typer.Option("--version", callback=_print_version, is_eager=True, help="Print the version.")
    ] = False,
) -> None:
    """Schedule jobs with several resource demands on a cluster, and say how far from the optimum you can be.

    Exit codes: 0 done, 1 a finding (an invalid schedule, a policy that failed), 2 wrong use or input.
    """
    if verbose:
        handler = logging.StreamHandler()
        handler.setFormatter(logging.Formatter("%(levelname)s %(name)s: %(message)s"))
        logger = logging.getLogger("schedcore")
        logger.addHandler(handler)
        logger.setLevel(logging.INFO if verbose == 1 else logging.DEBUG)


app.command("inspect")(configured(inspect.inspect))
app.command("compare", cls=HelpByProblem)(configured(compare.compare))
app.command("calibrate")(configured(calibrate.calibrate))
app.command("run")(configured(run.run))
app.command("validate")(configured(validate.validate))
app.command("bounds")(configured(bounds.bounds))
app.command("generate")(configured(generate.generate))
app.command("convert")(configured(convert.convert))
app.command("policies")(configured(policies.policies))
app.command("check-policy")(configured(check_policy.check_policy))
app.command("snapshot")(configured(snapshot.snapshot))
app.command("when")(configured(when.when))
app.command("what-if")(configured(what_if.what_if))
app.add_typer(experiment.commands, name="experiment")
