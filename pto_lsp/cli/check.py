"""``pto-lsp check``: read files, report findings, say by the exit code what was found."""

from __future__ import annotations

import argparse
import gc
import os
import sys
from collections import Counter
from collections.abc import Sequence

from pto_lsp.cli.messages import complain, note, place_of, settings_problems
from pto_lsp.cli.options import command_line, parse
from pto_lsp.cli.progress import Progress
from pto_lsp.cli.run import Failure, Manner, Outcome, check_files, check_text
from pto_lsp.cli.terminal import is_terminal, make_printable, wants_colour
from pto_lsp.config import FILE_NAMES, SettingsResolver, describe
from pto_lsp.diagnostics import Diagnostic, Severity
from pto_lsp.discovery import Exclusion, Missing, SourceError, SourceFile, decode, discover
from pto_lsp.reporters import WITH_FIXES, Fault, Report, RuleText, reporter

OK, FOUND, ERROR = 0, 1, 2


def run(arguments: Sequence[str]) -> int:
    options = parse(arguments)
    resolver = SettingsResolver(os.getcwd(), command_line(options))
    make_printable(sys.stdout)
    make_printable(sys.stderr)
    if options.show_settings is not None:
        return _show_settings(resolver, options.show_settings)
    if options.show_files:
        return _show_files(options, resolver)
    if options.watch:
        return _watch(options, resolver)
    if options.from_stdin and (options.fix or options.diff):
        return _repair_stdin(options, resolver)
    complete = True
    if options.fix or options.diff:
        from pto_lsp.cli import fix

        found = fix.repair(_files(options, resolver)[0], resolver, options.unsafe)
        if options.diff:
            fix.show_diff(found)
            return FOUND if found.repaired.texts else OK
        complete = fix.write(found)
    elif options.add_ignore:
        from pto_lsp.cli.add_ignore import add_ignores

        complete = add_ignores(_files(options, resolver)[0], resolver)
    code = _answer(_outcome(options, resolver), options)
    return code if complete else ERROR


def _outcome(options: argparse.Namespace, resolver: SettingsResolver) -> Outcome:
    with_fixes = _format(options) in WITH_FIXES and not options.statistics
    if options.from_stdin:
        return _check_stdin(options, resolver, with_fixes)
    files, failures = _files(options, resolver)
    progress = Progress()
    cache_directory = None
    if not options.no_cache:
        from pto_lsp.cache.location import default_directory

        cache_directory = default_directory()
    outcome = check_files(files, resolver, Manner(options.jobs, with_fixes, cache_directory, progress))
    progress.clear()
    return outcome.with_failures((*failures, *_settings_failures(files, resolver)))


def _format(options: argparse.Namespace) -> str:
    given: str | None = options.output_format
    return given or ("full" if options.output_file is None and is_terminal(sys.stdout) else "concise")


def _answer(outcome: Outcome, options: argparse.Namespace) -> int:
    """Say what was found; the exit code."""
    _print_failures(outcome)
    if options.statistics:
        text = _statistics(outcome.diagnostics, options.output_format == "json")
    else:
        text = _report(outcome, _format(options), options.output_file)
    complete = True
    if options.output_file is not None:
        complete = _write(options.output_file, text)
    else:
        print(text, end="")
    sys.stdout.flush()
    return _exit_code(outcome, options) if complete else ERROR


def _exit_code(outcome: Outcome, options: argparse.Namespace) -> int:
    if outcome.failures:
        return ERROR
    loudest = Severity(options.fail_on).rank
    if not options.exit_zero and any(found.severity.rank <= loudest for found in outcome.diagnostics):
        return FOUND
    return OK


def _check_stdin(options: argparse.Namespace, resolver: SettingsResolver, with_fixes: bool) -> Outcome:
    name = options.stdin_filename or "-"
    file = SourceFile(name, os.path.abspath(name))
    data = sys.stdin.buffer.read()
    if _is_excluded(file, options, resolver):
        return Outcome((), (), {}, {})
    try:
        text = decode(data)
    except SourceError as fault:
        return Outcome((), (Failure(name, str(fault)),), {}, {})
    outcome = check_text(file, text, resolver, with_fixes)
    return outcome.with_failures(_settings_failures([file], resolver))


def _repair_stdin(options: argparse.Namespace, resolver: SettingsResolver) -> int:
    """The repaired text, or the difference, on standard output; findings that are left on standard error."""
    from pto_lsp.cli import fix

    name = options.stdin_filename or "-"
    file = SourceFile(name, os.path.abspath(name))
    data = sys.stdin.buffer.read()
    if _is_excluded(file, options, resolver):
        if options.fix:
            fix.print_bytes(data)
        return OK
    try:
        found = fix.repair_text(file, data, resolver, options.unsafe)
        if options.diff:
            fix.show_diff(found)
            return FOUND if found.repaired.texts else OK
        text = decode(fix.print_text(found, file))
    except SourceError as fault:
        complain(f"{name}: {fault}")
        return ERROR
    outcome = check_text(file, text, resolver).with_failures(_settings_failures([file], resolver))
    _print_failures(outcome)
    print(_report(outcome, "concise", None), end="", file=sys.stderr)
    return _exit_code(outcome, options)


def _is_excluded(file: SourceFile, options: argparse.Namespace, resolver: SettingsResolver) -> bool:
    """Whether a file that is named is to be left out all the same."""
    if not options.force_exclude:
        return False
    return _exclusion(os.path.dirname(file.path), options, resolver).covers_below(file.path, False)


def _exclusion(directory: str, options: argparse.Namespace, resolver: SettingsResolver) -> Exclusion:
    """What is left out of an absolute directory."""
    settings = resolver.for_file(os.path.join(directory, "any"))
    # Patterns of a file count from its folder, those of the command line from where it was written.
    return Exclusion(settings.root if options.exclude is None else os.getcwd(), settings.exclude)


def _files(options: argparse.Namespace, resolver: SettingsResolver) -> tuple[list[SourceFile], list[Failure]]:
    """What the paths mean, and those of them that are not there."""

    def exclusion(directory: str) -> Exclusion:
        return _exclusion(directory, options, resolver)

    files: list[SourceFile] = []
    failures: list[Failure] = []
    for found in discover(options.paths, exclusion, options.force_exclude):
        if isinstance(found, Missing):
            failures.append(Failure(found.shown, found.reason))
        else:
            files.append(found)
    return files, failures


def _show_files(options: argparse.Namespace, resolver: SettingsResolver) -> int:
    files, failures = _files(options, resolver)
    _print_failures(Outcome((), tuple(failures), {}, {}))
    print("".join(f"{file.shown}\n" for file in files), end="")
    return ERROR if failures else OK


def _watch(options: argparse.Namespace, resolver: SettingsResolver) -> int:
    from pto_lsp.cli.watch import Watched, watch

    gc.enable()  # this process lives long

    def once() -> Watched:
        resolver.forget()
        outcome = _outcome(options, resolver)
        code = _answer(outcome, options)
        paths = outcome.reads.union(outcome.names)
        return Watched((*sorted(paths), *_configurations(paths)), code)

    return watch(once, lambda: [file.path for file in _files(options, resolver)[0]], note)


def _configurations(paths: frozenset[str]) -> list[str]:
    """Where the settings of ``paths`` may stand, whether there is a file or not."""
    directories: dict[str, None] = {}
    for path in sorted(paths):
        directory = os.path.dirname(path)
        while directory not in directories:
            directories[directory] = None
            directory = os.path.dirname(directory)
    return [os.path.join(directory, name) for directory in directories for name in FILE_NAMES]


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
    report = Report(
        outcome.diagnostics,
        outcome.shown_as,
        outcome.line,
        _url,
        colour=output_file is None and wants_colour(sys.stdout),
        rule=_rule_text,
        faults=tuple(Fault(failure.shown, failure.reason) for failure in outcome.failures),
    )
    text = reporter(name)(report)
    if name == "full":
        text += ("\n" if text else "") + _summary(outcome.diagnostics) + "\n"
    return text


def _url(code: str) -> str:
    from pto_lsp.analysis.rules.registry import url

    return url(code)


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


def _statistics(diagnostics: Sequence[Diagnostic], as_json: bool) -> str:
    counts = Counter((found.code, found.name) for found in diagnostics)
    width = max((len(str(count)) for count in counts.values()), default=0)
    rows = sorted(counts.items(), key=lambda item: (-item[1], item[0]))
    if as_json:
        import json

        return (
            json.dumps([{"code": code, "name": name, "count": count} for (code, name), count in rows], indent=2) + "\n"
        )
    return "".join(f"{count:>{width}}  {code}  {name}\n" for (code, name), count in rows)
