"""`assay completion`: what a shell needs to complete verbs, options and files."""

import click

SHELLS = ("bash", "zsh", "fish")
INSTALL = {
    "bash": 'eval "$(assay completion bash)"   # in ~/.bashrc',
    "zsh": 'eval "$(assay completion zsh)"   # in ~/.zshrc, after compinit',
    "fish": "assay completion fish > ~/.config/fish/completions/assay.fish",
}


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
