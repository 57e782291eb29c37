"""`assay completion`: what a shell needs to complete verbs, options and files."""

from typing import Any

import click

SHELLS = ("bash", "zsh", "fish")
INSTALL = {
    "bash": 'eval "$(assay completion bash)"   # in ~/.bashrc',
    "zsh": 'eval "$(assay completion zsh)"   # in ~/.zshrc, after compinit',
    "fish": "assay completion fish > ~/.config/fish/completions/assay.fish",
}


def measure_names(_context: Any, _parameter: Any, typed: str) -> list[str]:
    """What `--measure` may be called, where the word begins like this."""
    from assay.measures.registry import measures

    return [name for name in measures() if name.startswith(typed)]


def method_names(_context: Any, _parameter: Any, typed: str) -> list[str]:
    """The methods that begin like this."""
    from assay.core.methods import catalogue

    return [name for name in catalogue() if name.startswith(typed)]


@click.command("completion")
@click.argument("shell", type=click.Choice(SHELLS))
def command(shell: str) -> None:
    """Print the completion of a shell; what it offers is asked of `assay` itself.

    \b
    eval "$(assay completion bash)"      # in ~/.bashrc
    eval "$(assay completion zsh)"       # in ~/.zshrc, after compinit
    assay completion fish > ~/.config/fish/completions/assay.fish
    """
    from click.shell_completion import get_completion_class

    from assay.cli.main import cli

    found = get_completion_class(shell)
    if found is None:  # pragma: no cover (the choice above has only shells that click knows)
        raise click.UsageError(f"no completion for {shell}")
    click.echo(f"# {INSTALL[shell]}")
    # the version of bash is asked by running it, which a page of text need not do
    click.echo(found.source_template % found(cli, {}, "assay", "_ASSAY_COMPLETE").source_vars())
