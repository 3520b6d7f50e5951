"""Between ``with pl.graph`` and Graph functions."""

from __future__ import annotations

from pathlib import Path

import pytest

from pto_lsp.diagnostics import Applicability
from pto_lsp.quickfix import convert
from pto_lsp.quickfix.edits import apply_edits
from pto_lsp.quickfix.file_index import FileIndex
from pto_lsp.quickfix.rewriter import Refused
from tests.quickfix.kernels import jit, program, short
from tests.quickfix.workbench import Workbench

SCOPE = jit(
    """\
# the entry
@pl.jit
def main(w: <W>, acc: pl.InOut[<T>], x: <T>):
    tmp = pl.create_tensor([64, 64], dtype=pl.FP32)
    for i in pl.range(4):
        with pl.graph("layer"):
            # the first one
            tmp = add(x, tmp)

            acc = row(
                w,
                i,
                acc,
            )
        acc = add(tmp, acc)
    return acc
"""
)
METHOD = program(
    """\
    @pl.function(type=pl.FunctionType.Orchestration)
    def main(self, w: <W>, acc: pl.InOut[<T>]) -> <T>:
        for i in pl.range(4):
            with pl.graph("layer"):
                part = pl.slice(w, [64, 64], [i * 64, 0])
                acc = self.add(part, acc)
        return acc
"""
)


def converted(bench: Workbench, mark: str) -> str:
    path = bench.path("layer.py")
    text = bench.text()
    fix = convert.convert(bench.project, path, text.index(mark), lambda each: str(bench.root), FileIndex())
    assert fix.applicability is Applicability.SAFE
    assert fix.title == convert.title(bench.project, path, text.index(mark))
    bench.project.open(path, apply_edits(text, fix.edits, path))
    return bench.text()


@pytest.mark.parametrize("text", [SCOPE, METHOD, SCOPE.replace("\n", "\r\n")], ids=["jit", "program", "crlf"])
def test_there_and_back(text: str, tmp_path: Path) -> None:
    bench = Workbench(tmp_path, {"layer.py": text})
    there = converted(bench, "with pl.graph")
    assert "with pl.graph" not in there
    assert converted(bench, "def layer(") == text


def test_a_function_takes_what_the_region_reads(tmp_path: Path) -> None:
    text = short(converted(Workbench(tmp_path, {"layer.py": SCOPE}), "with pl.graph"))
    assert "\n\n@pl.jit.graph\ndef layer(x: <T>, tmp: pl.InOut[<T>], w: <W>, i: <I>, acc: pl.InOut[<T>]):\n" in text
    assert "    )\n    return tmp, acc\n\n\n# the entry\n@pl.jit\n" in text
    assert "        tmp, acc = layer(x, tmp, w, i, acc)\n" in text


def test_a_region_uses_the_names_of_its_caller(tmp_path: Path) -> None:
    body = """\
@pl.jit.graph
def layer(w: <W>, acc: pl.InOut[<T>], index: <I>):
    acc = row(w, index, acc)
    return acc


@pl.jit
def main(w: <W>, out: pl.InOut[<T>]):
    for i in pl.range(4):
        out = layer(w, out, i)
    return out
"""
    text = converted(Workbench(tmp_path, {"layer.py": jit(body)}), "def layer(")
    assert '    for i in pl.range(4):\n        with pl.graph("layer"):\n            out = row(w, i, out)\n' in text
    assert "@pl.jit.graph" not in text


@pytest.mark.parametrize(
    ("call", "reason"),
    [
        ("out = layer(w, out, i + 1)", "an argument is not a name"),
        ("out = layer(w, out, i)\n        out = layer(w, out, i)", "not called exactly once"),
        ("out = add(w2, layer(w, out, i))", "a part of something else"),
        ("base = i\n        out = layer(w, out, base)", "'base' means something else"),
    ],
)
def test_what_cannot_become_a_region(call: str, reason: str, tmp_path: Path) -> None:
    body = f"""\
@pl.jit.graph
def layer(w: <W>, acc: pl.InOut[<T>], index: <I>):
    base = index * 64
    acc = row(w, base, acc)
    return acc


@pl.jit
def main(w: <W>, w2: <T>, out: pl.InOut[<T>]):
    for i in pl.range(4):
        {call}
    return out
"""
    with pytest.raises(Refused, match=reason):
        converted(Workbench(tmp_path, {"layer.py": jit(body)}), "def layer(")


def test_a_name_that_is_taken(tmp_path: Path) -> None:
    text = f"{SCOPE}\n\nLAYER = 3\n".replace('"layer"', '"LAYER"')
    with pytest.raises(Refused, match="the name of something else"):
        converted(Workbench(tmp_path, {"layer.py": text}), "with pl.graph")


def test_nowhere_else(tmp_path: Path) -> None:
    bench = Workbench(tmp_path, {"layer.py": SCOPE})
    path = bench.path("layer.py")
    assert convert.title(bench.project, path, 0) is None
    assert convert.title(bench.project, path, SCOPE.index("tmp = add")) is None
    assert convert.title(bench.project, path, SCOPE.index("def main")) is None
