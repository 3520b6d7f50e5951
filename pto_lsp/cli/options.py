"""The options of ``pto-lsp check``."""

from __future__ import annotations

import argparse
import os
from collections.abc import Sequence

from pto_lsp.cli.arguments import positive
from pto_lsp.config import Layer
from pto_lsp.config.settings import InvalidValue, code_prefixes
from pto_lsp.diagnostics import Severity
from pto_lsp.reporters import FORMATS


def parse(arguments: Sequence[str]) -> argparse.Namespace:
    """The options, consistent with each other. Ends the program with code 2 where they are not."""
    parser = _parser()
    options = parser.parse_args(_with_dashed_files_last(parser, arguments))
    options.from_stdin = options.stdin_filename is not None or options.paths == ["-"]
    if options.stdin_filename is not None and options.paths not in ([], ["-"]):
        parser.error("--stdin-filename is for standard input: no other PATH can be given")
    repairs = options.fix or options.diff
    if options.unsafe and not repairs:
        parser.error("--unsafe goes with --fix or --diff")
    if options.from_stdin:
        for name in ("add_ignore", "watch", "show_files"):
            if getattr(options, name):
                parser.error(f"--{name.replace('_', '-')} is for files, not for standard input")
    if options.watch and (repairs or options.add_ignore):
        parser.error("--watch does not change files: it does not go with --fix, --diff or --add-ignore")
    if options.add_ignore and repairs:
        parser.error("--add-ignore does not go with --fix or --diff")
    options.paths = options.paths or ["."]
    return options


def _with_dashed_files_last(parser: argparse.ArgumentParser, arguments: Sequence[str]) -> list[str]:
    """The same words, with the names of files that look like options behind a ``--``.

    pre-commit and shell patterns pass such names as they are, and no hook can put a ``--`` between its arguments and
    the files.
    """
    words = list(arguments)
    given = words.index("--") if "--" in words else len(words)
    options = {option for action in parser._actions for option in action.option_strings}
    files = [
        word
        for word in words[:given]
        if len(word) > 1 and word[0] == "-" and word.partition("=")[0] not in options and os.path.lexists(word)
    ]
    if not files:
        return words
    return [*(word for word in words[:given] if word not in files), "--", *files, *words[given + 1 :]]


def command_line(options: argparse.Namespace) -> Layer:
    """What the command line says about settings."""
    given = {"select": options.select, "ignore": options.ignore, "exclude": options.exclude}
    return Layer("command line", {key: value for key, value in given.items() if value is not None})


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="pto-lsp check",
        allow_abbrev=False,
        description="Check files and report findings. A directory is walked for *.py; without PATH, the current one.",
        epilog="Exit code: 0 nothing from --fail-on up, 1 findings, 2 wrong usage, unreadable file or configuration.",
    )
    severities = [severity.value for severity in Severity]
    parser.add_argument("paths", nargs="*", metavar="PATH", help="file or directory; - for standard input")
    parser.add_argument("--fix", action="store_true", help="apply safe repairs, then check what is left")
    parser.add_argument("--unsafe", action="store_true", help="with --fix or --diff: repairs that are not safe as well")
    parser.add_argument("--diff", action="store_true", help="show repairs instead of applying them")
    parser.add_argument("--add-ignore", action="store_true", help="silence every finding by a comment on its line")
    parser.add_argument("--output-format", choices=FORMATS, help="default: full on a terminal, else concise")
    parser.add_argument("--output-file", metavar="FILE", help="write the report to FILE (default: standard output)")
    parser.add_argument("--select", type=_codes, metavar="CODES", help="report only these, such as PTO1,PTO203")
    parser.add_argument("--ignore", type=_codes, metavar="CODES", help="do not report these")
    parser.add_argument("--fail-on", choices=severities, default="error", help="exit with 1 from here on (error)")
    parser.add_argument("--exit-zero", action="store_true", help="exit with 0 whatever is found")
    parser.add_argument("--stdin-filename", metavar="NAME", help="check standard input as if it were this file")
    parser.add_argument("--statistics", action="store_true", help="count findings by rule instead of listing them")
    parser.add_argument(
        "--exclude",
        action="append",
        metavar="PATTERN",
        help="leave out what matches, as in .gitignore, counted from the current directory; replaces the setting",
    )
    parser.add_argument(
        "--force-exclude", action="store_true", help="leave out excluded files even where PATH names them"
    )
    parser.add_argument("--watch", action="store_true", help="check again whenever a file or its configuration changes")
    parser.add_argument("--no-cache", action="store_true", help="neither use nor keep results of earlier runs")
    parser.add_argument("--jobs", type=positive, metavar="N", help="processes to use (default: by the number of files)")
    parser.add_argument("--show-files", action="store_true", help="print the files that would be checked")
    parser.add_argument("--show-settings", metavar="FILE", help="print each setting for FILE and where it came from")
    return parser


def _codes(text: str) -> list[str]:
    items = [item.strip() for item in text.split(",") if item.strip()]
    try:
        code_prefixes(items)
    except InvalidValue as fault:
        raise argparse.ArgumentTypeError(str(fault)) from fault
    return items
