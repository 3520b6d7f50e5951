"""Random configuration, in files and from the editor: a problem at most, never a fault."""

from __future__ import annotations

import random
import string
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from pto_lsp.analysis.source.encodings import PositionEncoding
from pto_lsp.config import FILE_NAMES, KEYS, SettingsResolver, describe
from pto_lsp.discovery import discover
from pto_lsp.server.convert import Client
from pto_lsp.server.editor_settings import EditorSettings
from pto_lsp.server.session import Session
from pto_lsp.server.uris import to_uri
from pto_lsp.server.worker import Worker
from tests.robustness.fuzzing.corpus import Source
from tests.robustness.fuzzing.report import Report
from tests.robustness.fuzzing.sessions import Silent

_WORDS = [
    *(
        "PTO1",
        "PTO101",
        "PTO",
        "ALL",
        "X1",
        "error",
        "hint",
        "loud",
        "reference",
        "host_build_graph",
        "*",
        "!",
        "[",
        "**",
    ),
    *("../", "/", "", "\\", "a/b", "~", "$HOME", "\x00", "长", "tests/*", "[a-", "{a,b}", "!(x)", "src/**/x.py"),
]
_HEADERS = ["", "[tool.pto-lsp]", "[tool]", "[severity]", "[tool.pto-lsp.severity]", "[[tool.pto-lsp]]", "[", "[a.b"]


def run(seed: int, sources: Sequence[Source], report: Report, steps: int = 20) -> None:
    rng = random.Random(seed)
    small = [source for source in sources if len(source.text) < 6000] or list(sources)
    with tempfile.TemporaryDirectory() as scratch:
        root = Path(scratch)
        for step in range(steps):
            source = rng.choice(small)
            name, text = rng.choice(FILE_NAMES), _toml(rng)
            settings = _value(rng, 0) if rng.random() < 0.2 else {key: _value(rng, 0) for key in rng.choices(KEYS, k=3)}
            with report.step("configuration", seed, step, f"# {name}\n{text}\n# editor: {settings!r}\n", limit=None):
                path = root / "model.py"
                path.write_text(source.text, encoding="utf-8")
                for other in FILE_NAMES:
                    (root / other).unlink(missing_ok=True)
                (root / name).write_bytes(text.encode("utf-8", "surrogatepass"))
                _use(root, path, source.text, settings)


def _use(root: Path, path: Path, text: str, settings: Any) -> None:
    resolver = SettingsResolver(str(root))
    in_force = resolver.for_file(str(path))
    describe(in_force)
    resolver.problems(str(path))
    from pto_lsp.cli.check import _exclusion
    from pto_lsp.cli.options import parse

    options = parse([str(root)])
    list(discover([str(root)], lambda directory: _exclusion(directory, options, resolver)))
    worker = Worker(lambda: None, _failed)
    session = Session(Client(encoding=PositionEncoding.UTF8), _Quiet(), worker, str(root), EditorSettings(settings))
    session.open(to_uri(str(path)), 1, text)
    while session.report_next() is not None:
        pass
    session.settings_changed()
    while session.report_next() is not None:
        pass


class _Quiet(Silent):
    """Problems with settings are logged: that is what they are for. Faults are not."""

    def log(self, text: str) -> None:
        if "Traceback" in text:
            raise AssertionError(text)


def _failed(fault: BaseException) -> None:
    raise fault


def _toml(rng: random.Random) -> str:
    lines = []
    for _ in range(rng.randint(0, 6)):
        if rng.random() < 0.3:
            lines.append(rng.choice(_HEADERS))
        else:
            key = rng.choice(KEYS) if rng.random() < 0.8 else "".join(rng.choices(string.ascii_letters + "-.\"' ", k=5))
            lines.append(f"{key} = {_literal(rng, 0)}")
    text = "\n".join(lines) + rng.choice(("\n", "", "\r\n", "\x00", "\ud800"))
    if rng.random() < 0.2 and text:
        at = rng.randrange(len(text))
        text = text[:at] + rng.choice("\"'[]{}=,#\n") + text[at + rng.randint(0, 3) :]
    return text


def _literal(rng: random.Random, depth: int) -> str:
    kind = rng.randint(0, 7 if depth < 3 else 4)
    if kind <= 1:
        return '"' + rng.choice(_WORDS).replace("\\", "\\\\").replace("\x00", "\\u0000") + '"'
    if kind <= 4:
        return rng.choice(("1", "true", "false", "1.5", "nan", "1979-05-27", "'x'", '"""a\nb"""'))
    if kind <= 6:
        return "[" + ", ".join(_literal(rng, depth + 1) for _ in range(rng.randint(0, 3))) + "]"
    pairs = (f"k{index} = {_literal(rng, depth + 1)}" for index in range(rng.randint(0, 3)))
    return "{ " + ", ".join(pairs) + " }"


def _value(rng: random.Random, depth: int) -> Any:
    kind = rng.randint(0, 7 if depth < 3 else 4)
    if kind <= 1:
        return rng.choice(_WORDS)
    if kind <= 4:
        return rng.choice((None, 0, -1, 1.5, True, False, "PTO1"))
    if kind <= 6:
        return [_value(rng, depth + 1) for _ in range(rng.randint(0, 3))]
    return {rng.choice((*KEYS, *_WORDS)): _value(rng, depth + 1) for _ in range(rng.randint(0, 3))}
