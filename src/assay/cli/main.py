"""The command `assay`: a verb per file, each loaded when it is called."""

import os
import sys
from collections.abc import Sequence
from importlib import import_module
from typing import Any, NoReturn

import click

from assay._version import __version__

VERBS: dict[str, str] = {
    "look": "Look at a file: what each column is and why, and which commands fit it.",
    "demo": "Watch assay train, evaluate, compare, run a study and report, in seconds.",
    "evaluate": "Measure models; every number has its confidence interval.",
    "compare": "Compare models: which is better, by how much, and how sure it is.",
    "board": "Rank models, with a confidence set for each rank and for the best model.",
    "judge": "Check an LLM judge against people: agreement, bias, drift, labels it saves.",
    "gate": "Pass or fail a candidate against a baseline, by exit code.",
    "plan": "Plan a study: how many items, folds, seeds or data sets are needed.",
    "simulate": "Simulate methods where the truth is known: error rates, coverage, bias.",
    "run": "Run a study: train learners on data sets; it resumes where it stopped.",
    "report": "Report a study: scores, comparisons, learning curves, missing runs.",
    "publish": "Write results for the Hugging Face Hub or Every Eval Ever, with intervals.",
    "test": "Run one method of the catalogue on numbers or on a file.",
    "methods": "List the methods, show one, or find the one you need (--choose).",
    "datasets": "List real data sets that work offline, or show one: source, licence, traps.",
    "lectures": "Check the worked numbers of well-known lectures: printed and correct.",
    "serve": "Open a local page: drop a file, see the verdict, explore.",
    "selftest": "Check assay against R and others on this machine, in seconds.",
    "completion": "Print the completion script for bash, zsh or fish.",
    "man": "Print the manual page.",
}
"""The verbs in the order of a first visit; kept here so that help loads nothing else."""

EXIT_USAGE, EXIT_BAD_DATA, EXIT_DEFECT, EXIT_INTERRUPTED, EXIT_UNREAD = 2, 4, 70, 130, 141


class Verbs(click.Group):
    """A group that imports a verb's module only when the verb is used."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002
        return list(VERBS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name in VERBS:
            command: click.Command = import_module(f"assay.cli.{cmd_name}").command
            return command
        if not ctx.resilient_parsing:
            from difflib import get_close_matches

            near = get_close_matches(cmd_name, VERBS, n=1)
            hint = f"; did you mean {near[0]}?" if near else f"; there are {', '.join(VERBS)}"
            ctx.fail(f"no command {cmd_name!r}{hint}")
        return None

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002
        with formatter.section("Commands"):
            formatter.write_dl(list(VERBS.items()))

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Refuse what no terminal can send, half a character, which no file can be called."""
        try:
            os.fsencode("".join(args))
        except UnicodeEncodeError as error:
            ctx.fail(f"half a character is no text: {error.object[error.start]!r}")
        return super().parse_args(ctx, args)

    def invoke(self, ctx: click.Context) -> Any:
        """Run the verb; Ctrl-C and a closed pipe have their codes, where click's 1 says that a gate failed."""
        from assay.cli.progress import line_on_terminal

        try:
            with line_on_terminal():
                return super().invoke(ctx)
        except BrokenPipeError as error:
            _unheard(error)
        except (KeyboardInterrupt, RuntimeError) as error:
            if not _is_interrupt(error):
                raise
            stop()


def _is_interrupt(error: BaseException | None) -> bool:
    """Whether somebody pressed Ctrl-C, of which others make a RuntimeError: DuckDB where it is at a query,
    Python where it makes a class.
    """
    told = isinstance(error, RuntimeError) and str(error).lower() == "query interrupted"
    whence = error.__cause__ if isinstance(error, RuntimeError) else None
    return told or isinstance(error, KeyboardInterrupt) or isinstance(whence, KeyboardInterrupt)


def stop() -> NoReturn:
    """End as after Ctrl-C: one line, and an exit code of its own."""
    click.echo("assay: stopped", err=True)
    exec("")  # noqa: S102 (Python remembers an interrupt that it met in an exec, as of a dataclass, and would
    # end by the signal instead of the code: another exec makes it forget)
    sys.exit(EXIT_INTERRUPTED)


def _unheard(error: OSError) -> NoReturn:
    """End where nobody reads on (`assay … | head -1`), or neither the answer nor a word about it can be written."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    for stream in (1, 2):  # what is still to be flushed would be a complaint of Python's
        os.dup2(nowhere, stream)
    sys.exit(EXIT_UNREAD if isinstance(error, BrokenPipeError) else EXIT_USAGE)


@click.group(cls=Verbs, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="assay")
def cli() -> None:
    """Honest statistics for the questions people ask about machine-learning models.

    Start with `assay look FILE`, or with `assay demo`.
    """


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the command line; errors become one sentence and an exit code."""
    _escape_what_lacks()
    sys.unraisablehook = _ignored
    try:
        _answered(list(sys.argv[1:] if arguments is None else arguments))
    except (KeyboardInterrupt, click.Abort):  # before the verb ran, or while it asked
        stop()
    except OSError as error:
        _unheard(error)


def _ignored(error: "sys.UnraisableHookArgs") -> None:
    """Press Ctrl-C again where Python ignored it: in a callback of its own, as at the end of an import."""
    if not issubclass(error.exc_type, KeyboardInterrupt):
        sys.__unraisablehook__(error)
        return
    from signal import SIGINT
    from threading import Timer

    again = Timer(0.01, os.kill, (os.getpid(), SIGINT))  # in here it would be ignored as well
    again.daemon = True
    again.start()


def _escape_what_lacks() -> None:
    """Let a terminal of few letters (Latin-1, a Windows code page) show the others as their escapes."""
    encoding = getattr(sys.stdout, "encoding", None) or "utf-8"
    if hasattr(sys.stdout, "reconfigure") and not encoding.lower().startswith("utf"):
        sys.stdout.reconfigure(errors="backslashreplace")


def _answered(typed: list[str]) -> None:
    from assay.core.errors import AssayError, MissingDependency, UsageError

    try:
        _run(typed)
    except AssayError as error:
        from assay.cli.output import say
        from assay.report.option_names import as_typed

        say(f"assay: {as_typed(error.for_both)}")
        usage = isinstance(error, UsageError | MissingDependency)
        sys.exit(EXIT_USAGE if usage else EXIT_BAD_DATA)
    except BrokenPipeError:
        raise
    except OSError as error:
        from assay.core.formatting import clean

        where = clean(str(error.filename or "the output"))
        click.echo(f"assay: {error.strerror or clean(str(error))}: {where}", err=True)
        sys.exit(EXIT_USAGE)
    except click.Abort:
        raise
    except Exception as error:  # noqa: BLE001
        from traceback import format_exc

        from assay.core.formatting import clean

        click.echo("\n".join(map(clean, format_exc().splitlines())), err=True)
        click.echo(
            f"assay: this is a defect of ours ({type(error).__name__}); please report it.", err=True
        )
        sys.exit(EXIT_DEFECT)


def _run(typed: list[str]) -> None:
    """Run a command; what its evidence leaves open is asked at a terminal, else listed (exit 2)."""
    from assay.core.questions import AmbiguousEvidence

    try:
        cli.main(args=typed, prog_name="assay")
    except AmbiguousEvidence as error:
        from assay.cli.terminal_questions import answered, explained, may_ask

        if may_ask(typed):
            _run(answered(error, typed))
            return
        click.echo(explained(error), err=True)
        sys.exit(EXIT_USAGE)
