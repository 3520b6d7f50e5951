"""What the C++ compiler says of an orchestration, line by line."""

from __future__ import annotations

import os
import re
import subprocess
from typing import NamedTuple

from pto_lsp.backend.hostmodel.record import FLAGS, SOURCES, TIME_LIMIT

_COMPLAINT = re.compile(r"<stdin>:(\d+):(?:\d+:)? (?:fatal )?(error|warning): (.*)")


class Complaint(NamedTuple):
    """``line`` of the C++, 0-based; ``severity`` is "error" or "warning"."""

    line: int
    severity: str
    message: str


def complaints(compiler: str, text: str) -> list[Complaint]:
    """Those about the text itself, in its order; nothing is made. Raises `OSError` where ``compiler`` cannot be run."""
    include = (f"-I{SOURCES / 'include'}", f"-I{SOURCES}")
    flags = [flag for flag in FLAGS if flag != "-Werror"]
    done = subprocess.run(
        [compiler, *flags, *include, "-fsyntax-only", "-fdiagnostics-color=never", "-x", "c++", "-"],
        input=text,
        capture_output=True,
        text=True,
        timeout=TIME_LIMIT,
        # Messages in English, which is what is looked for.
        env={**os.environ, "LC_ALL": "C"},
    )
    found = [_COMPLAINT.match(line) for line in done.stderr.splitlines()]
    return [Complaint(int(match[1]) - 1, match[2], match[3]) for match in found if match is not None]
