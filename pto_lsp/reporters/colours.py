"""Terminal colours, where there are any."""

from __future__ import annotations

from pto_lsp.diagnostics import Severity

_SEVERITY = {Severity.ERROR: "1;31", Severity.WARNING: "1;33", Severity.INFORMATION: "1;36", Severity.HINT: "1;2"}


class Palette:
    """Styles text, or leaves it alone where ``enabled`` is False."""

    def __init__(self, enabled: bool) -> None:
        self._enabled = enabled

    def bold(self, text: str) -> str:
        return self._paint("1", text)

    def faint(self, text: str) -> str:
        return self._paint("2", text)

    def severity(self, severity: Severity, text: str) -> str:
        return self._paint(_SEVERITY[severity], text)

    def _paint(self, style: str, text: str) -> str:
        return f"\x1b[{style}m{text}\x1b[0m" if self._enabled else text
