"""``python -m matrix``: subcommands for people and for CI; measuring itself is nox's business (`nox -s matrix`).

Each module of this folder adds the subcommands of one concern: ``add(commands)`` declares them, ``run`` does them.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from matrix.cli import advise, attempt, basic, check, ci, merge, report, results, runtimes, shards
from matrix.errors import MatrixError, UnknownNameError
from matrix.options import SuggestingParser, unknown_option

if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable, Sequence

#: In the order of ``--help``.
_ROOMS = (advise, attempt, results, merge, check, report, runtimes, shards, ci, basic)


def main(arguments: Sequence[str]) -> int:
    """Run one subcommand; the exit code is the command's, or the error's."""
    parser, names = _parser()
    try:
        if arguments and not arguments[0].startswith("-") and arguments[0] not in names:
            raise UnknownNameError("command", arguments[0], names)
        values, unknown = parser.parse_known_args(list(arguments))
        if unknown:
            raise unknown_option(values.parser, unknown[0])
        command: Callable[[argparse.Namespace], int] = values.run
        return command(values)
    except MatrixError as error:
        print(f"error: {error}", file=sys.stderr)
        return error.exit_code
    except BrokenPipeError:
        sys.stderr.close()
        return 0


def _parser() -> tuple[argparse.ArgumentParser, list[str]]:
    """The parser, and the names of the subcommands."""
    parser = SuggestingParser(prog="python -m matrix", description=(__doc__ or "").split("\n", 1)[0])
    commands = parser.add_subparsers(required=True, metavar="COMMAND", parser_class=SuggestingParser)
    for room in _ROOMS:
        room.add(commands)
    for command in commands.choices.values():
        command.set_defaults(parser=command)
    return parser, list(commands.choices)
