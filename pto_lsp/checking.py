"""The findings of one document as users see them: the editor and the command line both come through here."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import lru_cache
from typing import Protocol

from pto_lsp import suppressions
from pto_lsp.config import Settings
from pto_lsp.diagnostics import Diagnostic
from pto_lsp.discovery import DSL_MARKER, Exclusion

_MARKER = DSL_MARKER.decode()


class Checker(Protocol):
    """What is needed of `pto_lsp.project.Project`."""

    def text(self, path: str) -> str | None: ...

    def check(self, path: str, cancelled: Callable[[], bool] = ...) -> tuple[Diagnostic, ...]: ...


def never() -> bool:
    return False


def checked(
    project: Checker, path: str, settings: Settings, cancelled: Callable[[], bool] = never
) -> tuple[Diagnostic, ...]:
    """The findings of the open document ``path`` after suppressions and ``settings``, in listing order.

    Raises what ``project.check`` raises when ``cancelled`` says so.
    """
    text = project.text(path)
    if text is None or _MARKER not in text:
        return ()
    # Suppressions come first: one that silences a rule which the settings switch off all the same is not unused.
    found = suppressions.apply(text, path, project.check(path, cancelled))
    return tuple(sorted(_selected(found, path, settings), key=Diagnostic.sort_key))


def _selected(found: tuple[Diagnostic, ...], path: str, settings: Settings) -> list[Diagnostic]:
    ignored = ignored_for(path, settings)
    result = []
    for diagnostic in found:
        code = diagnostic.code
        if settings.is_enabled(code) and not code.startswith(ignored):
            severity = settings.severity_of(code, diagnostic.severity)
            result.append(diagnostic if severity is diagnostic.severity else replace(diagnostic, severity=severity))
    return result


def ignored_for(path: str, settings: Settings) -> tuple[str, ...]:
    """The code prefixes that ``per-file-ignores`` switches off for ``path``."""
    ignored: tuple[str, ...] = ()
    for pattern, codes in settings.per_file_ignores:
        if _exclusion(settings.root, pattern).covers(path, False):
            ignored += codes
    return ignored


@lru_cache(maxsize=64)
def _exclusion(root: str, pattern: str) -> Exclusion:
    return Exclusion(root, (pattern,))
