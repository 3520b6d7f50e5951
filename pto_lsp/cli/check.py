"""``pto-lsp check``: read files, report findings, say by the exit code what was found."""

from __future__ import annotations

import argparse
import gc
import os
import sys
from collections import Counter
from collections.abc import Sequence

from pto_lsp.cli.messages import complain, place_of, settings_problems
from pto_lsp.cli.run import Failure, Outcome, check_files, check_text
from pto_lsp.cli.terminal import is_terminal, make_printable, wants_colour
from pto_lsp.config import Layer, SettingsResolver, describe
from pto_lsp.config.settings import InvalidValue, code_prefixes
from pto_lsp.diagnostics import Diagnostic, Severity
from pto_lsp.discovery import Exclusion, Missing, SourceError, SourceFile, decode, discover
from pto_lsp.reporters import FORMATS, WITH_FIXES, Fault, Report, RuleText, reporter

OK, FOUND, ERROR = 0, 1, 2


def run(arguments: Sequence[str]) -> int:
    # A short life, in which nearly everything that is allocated stays: look for garbage rarely.
    gc.set_threshold(200_000, 20, 20)
    parser = _parser()
    options = parser.parse_args(arguments)
    if options.stdin_filename is not None and options.paths not in ([], ["-"]):
        parser.error("--stdin-filename is for standard input: no other PATH can be given")
    directory = os.getcwd()
    resolver = SettingsResolver(directory, _command_line(options))
    make_printable(sys.stdout)
    make_printable(sys.stderr)
    if options.show_settings is not None:
        return _show_settings(resolver, options.show_settings)
    complete = True
    from_stdin = options.stdin_filename is not None or options.paths == ["-"]
    if options.fix or options.diff:
        if from_stdin:
            parser.error("--fix and --diff are for files, not for standard input")
        from pto_lsp.cli import fix

        found = fix.repair(_files(options.paths or ["."], resolver)[0], resolver, options.unsafe)
        if options.diff:
            fix.show_diff(found)
            return FOUND if found.repaired.texts else OK
        complete = fix.write(found)
    elif options.unsafe:
        parser.error("--unsafe goes with --fix or --diff")
    name = options.output_format or ("full" if options.output_file is None and is_terminal(sys.stdout) else "concise")
    with_fixes = name in WITH_FIXES and not options.statistics
    if from_stdin:
        outcome = _check_stdin(options.stdin_filename or "-", resolver, with_fixes)
    else:
        outcome = _check_paths(options.paths or ["."], resolver, options.jobs, with_fixes)
    _print_failures(outcome)
    text = _statistics(outcome.diagnostics) if options.statistics else _report(outcome, name, options.output_file)
    if options.output_file is not None:
        complete = _write(options.output_file, text) and complete
    else:
        print(text, end="")
    sys.stdout.flush()
    if outcome.failures or not complete:
        return ERROR
    loudest = Severity(options.fail_on).rank
    if not options.exit_zero and any(found.severity.rank <= loudest for found in outcome.diagnostics):
        return FOUND
    return OK


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="pto-lsp check",
        description="Check files and report findings. A directory is walked for *.py; without PATH, the current one.",
        epilog="Exit code: 0 nothing from --fail-on up, 1 findings, 2 wrong usage, unreadable file or configuration.",
    )
    severities = [severity.value for severity in Severity]
    parser.add_argument("paths", nargs="*", metavar="PATH", help="file or directory; - for standard input")
    parser.add_argument("--fix", action="store_true", help="apply safe repairs, then check what is left")
    parser.add_argument("--unsafe", action="store_true", help="with --fix or --diff: repairs that are not safe as well")
    parser.add_argument("--diff", action="store_true", help="show repairs instead of applying them")
    parser.add_argument("--output-format", choices=FORMATS, help="default: full on a terminal, else concise")
    parser.add_argument("--output-file", metavar="FILE", help="write the report to FILE (default: standard output)")
    parser.add_argument("--select", type=_codes, metavar="CODES", help="report only these, such as PTO1,PTO203")
    parser.add_argument("--ignore", type=_codes, metavar="CODES", help="do not report these")
    parser.add_argument("--fail-on", choices=severities, default="error", help="exit with 1 from here on (error)")
    parser.add_argument("--exit-zero", action="store_true", help="exit with 0 whatever is found")
    parser.add_argument("--stdin-filename", metavar="NAME", help="check standard input as if it were this file")
    parser.add_argument("--statistics", action="store_true", help="count findings by rule instead of listing them")
    parser.add_argument("--jobs", type=_jobs, metavar="N", help="processes to use (default: by the number of files)")
    parser.add_argument("--show-settings", metavar="FILE", help="print each setting for FILE and where it came from")
    return parser


def _codes(text: str) -> list[str]:
    items = [item.strip() for item in text.split(",") if item.strip()]
    try:
        code_prefixes(items)
    except InvalidValue as fault:
        raise argparse.ArgumentTypeError(str(fault)) from fault
    return items


def _jobs(text: str) -> int:
    if not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"expected a positive number, got {text!r}")
    return int(text)


def _command_line(options: argparse.Namespace) -> Layer:
    given = {"select": options.select, "ignore": options.ignore}
    return Layer("command line", {key: value for key, value in given.items() if value is not None})


def _check_stdin(name: str, resolver: SettingsResolver, with_fixes: bool) -> Outcome:
    file = SourceFile(name, os.path.abspath(name))
    try:
        text = decode(sys.stdin.buffer.read())
    except SourceError as fault:
        return Outcome((), (Failure(name, str(fault)),), {}, {})
    outcome = check_text(file, text, resolver, with_fixes)
    return outcome.with_failures(_settings_failures([file], resolver))


def _check_paths(paths: list[str], resolver: SettingsResolver, jobs: int | None, with_fixes: bool) -> Outcome:
    files, failures = _files(paths, resolver)
    outcome = check_files(files, resolver, jobs, with_fixes)
    return outcome.with_failures((*failures, *_settings_failures(files, resolver)))


def _files(paths: list[str], resolver: SettingsResolver) -> tuple[list[SourceFile], list[Failure]]:
    """What ``paths`` mean, and those of them that are not there."""

    def exclusion(directory: str) -> Exclusion:
        settings = resolver.for_file(os.path.join(directory, "any"))
        return Exclusion(settings.root, settings.exclude)

    files: list[SourceFile] = []
    failures: list[Failure] = []
    for found in discover(paths, exclusion):
        if isinstance(found, Missing):
            failures.append(Failure(found.shown, found.reason))
        else:
            files.append(found)
    return files, failures


def _settings_failures(files: Sequence[SourceFile], resolver: SettingsResolver) -> list[Failure]:
    problems = settings_problems([file.path for file in files], resolver)
    return [Failure(place_of(problem), problem.message) for problem in problems]


def _show_settings(resolver: SettingsResolver, name: str) -> int:
    path = os.path.abspath(name)
    for key, value, origin in describe(resolver.for_file(path)):
        print(f"{key} = {value}  # {origin}")
    problems = resolver.problems(path)
    for problem in problems:
        complain(f"{place_of(problem)}: {problem.message}")
    return ERROR if problems else OK


def _print_failures(outcome: Outcome) -> None:
    for failure in outcome.failures:
        complain(f"{failure.shown}: {failure.reason}")
        if failure.trace:
            print(failure.trace, end="", file=sys.stderr)


def _report(outcome: Outcome, name: str, output_file: str | None) -> str:
    from pto_lsp.analysis.rules.registry import url

    report = Report(
        outcome.diagnostics,
        outcome.shown_as,
        outcome.line,
        url,
        colour=output_file is None and wants_colour(sys.stdout),
        rule=_rule_text,
        faults=tuple(Fault(failure.shown, failure.reason) for failure in outcome.failures),
    )
    text = reporter(name)(report)
    if name == "full":
        text += ("\n" if text else "") + _summary(outcome.diagnostics) + "\n"
    return text


def _rule_text(code: str) -> RuleText | None:
    from pto_lsp.analysis.rules import registry

    if code not in registry.codes():
        return None
    rule = registry.rule(code)
    return RuleText(rule.name, rule.severity, rule.summary, rule.what, rule.why, rule.fix)


def _write(path: str, text: str) -> bool:
    try:
        with open(path, "w", encoding="utf-8", errors="backslashreplace", newline="\n") as file:
            file.write(text)
    except OSError as fault:
        complain(f"{path}: cannot be written: {(fault.strerror or str(fault)).lower()}")
        return False
    return True


def _summary(diagnostics: Sequence[Diagnostic]) -> str:
    counts = Counter(found.severity for found in diagnostics)
    words = [
        f"{counts[severity]} {severity.value}{_plural(severity, counts)}" for severity in Severity if counts[severity]
    ]
    return "Found " + ", ".join(words) + "." if words else "No findings."


def _plural(severity: Severity, counts: Counter[Severity]) -> str:
    # "information" has no plural.
    return "s" if counts[severity] != 1 and severity is not Severity.INFORMATION else ""


def _statistics(diagnostics: Sequence[Diagnostic]) -> str:
    counts = Counter((found.code, found.name) for found in diagnostics)
    width = max((len(str(count)) for count in counts.values()), default=0)
    rows = sorted(counts.items(), key=lambda item: (-item[1], item[0]))
    return "".join(f"{count:>{width}}  {code}  {name}\n" for (code, name), count in rows)
