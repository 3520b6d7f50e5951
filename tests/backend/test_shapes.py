"""Types and shapes of bare parameters: given, shown by a call, or open."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from pto_lsp.backend.shapes.host_calls import evident_shapes
from tests.cli.command import pto

CONSTANTS = {"ROWS": 128, "COLS": 64}


def shown(code: str) -> dict[str, str]:
    found = evident_shapes(code, "f", ["x", "y"], CONSTANTS.get)
    return {name: str(shape) for name, shape in found.items()}


@pytest.mark.parametrize(
    ("made", "shape"),
    [
        ("torch.zeros((128, 64))", "FP32[128, 64]"),
        ("torch.randn(ROWS, COLS * 2)", "FP32[128, 128]"),
        ("torch.empty([ROWS // 2, COLS], dtype=torch.bfloat16)", "BF16[64, 64]"),
        ("torch.full((128,), 2.0)", "FP32[128]"),
        ("torch.full((128,), 2)", "INT64[128]"),
        ("torch.randint(0, 9, (4, 8), dtype=torch.int32)", "INT32[4, 8]"),
        ("torch.randint(9, size=(4, 8))", "INT64[4, 8]"),
        ("torch.ones(8, 8).to(torch.float16).contiguous()", "FP16[8, 8]"),
        ("torch.rand(8, 8).half()", "FP16[8, 8]"),
        ("torch.rand(8, 8) * 0.1 - 1", "FP32[8, 8]"),
        ("-torch.rand(8, 8) + torch.rand(8, 8)", "FP32[8, 8]"),
        ("torch.rand(8, 8).reshape(4, 16)", "FP32[4, 16]"),
        ("np.zeros((8, 8), np.float32)", "FP32[8, 8]"),
        ("np.random.randn(8, 8).astype(np.float32)", "FP32[8, 8]"),
        ("rng.standard_normal((8, 8), dtype=np.float32)", "FP32[8, 8]"),
        ("np.random.default_rng(1).random((8, 8)).astype('float32')", None),
        ("np.zeros((8, 8))", None),
        ("torch.zeros(n, 8)", None),
        ("load('x.pt')", None),
        ("torch.rand(8, 8).reshape(-1)", None),
        ("torch.rand(8, 8) @ torch.rand(8, 4)", None),
    ],
)
def test_what_makes_a_tensor(made: str, shape: str | None) -> None:
    assert shown(f"f({made}, other)") == ({} if shape is None else {"x": shape})


def test_names_of_the_function_around_the_call() -> None:
    code = """
x = torch.zeros(1, 1)

def test():
    rows = 32
    x = torch.zeros(rows, 8)
    y = torch.empty_like(x, dtype=torch.int32)
    f.compile(y=y, x=x.clone())
"""
    assert shown(code) == {"x": "FP32[32, 8]", "y": "INT32[32, 8]"}


@pytest.mark.parametrize(
    "call",
    [
        "args = [torch.zeros(8), other]\nf(*args)",
        "f.lower(*(torch.zeros(8), 1))",
        "MODES = {'f': f, 'h': h}\ndef test(mode):\n    MODES[mode](torch.zeros(8))",
        "MODES = {'f': f, 'h': h}\nfor name, g in MODES.items():\n    g(torch.zeros(8))",
        "for g, n in ((h, 8), (f, 9)):\n    x = torch.zeros(8)\n    g.compile(x)",
        "g = f\ng(torch.zeros(8))",
        "z, x = torch.zeros(9), torch.zeros(8)\nf(x)",
    ],
)
def test_calls_through_tables_and_of_lists(call: str) -> None:
    assert shown(call) == {"x": "FP32[8]"}


@pytest.mark.parametrize(
    "body",
    [
        "x = torch.zeros(8, 8)\nx = torch.zeros(8, 9)\nf(x)",
        "x = torch.zeros(8, 8)\nx, z = g()\nf(x)",
        "z, *x = torch.zeros(8), torch.zeros(8)\nf(x)",
        "for x in xs:\n    f(x)",
        "f(torch.zeros(8, 8))\nf(torch.zeros(8, 9))",
        "f(torch.zeros(8, 8))\nf(unknown)",
        "x = y\ny = x\nf(x)",
        "n = m\nm = n\nf(torch.zeros(n))",
        "def g(x):\n    f(x)",
        "args = [torch.zeros(8)]\nargs[0] = g()\nf(*args)",
        "args = []\nargs.append(torch.zeros(8))\nf(*args)",
        "args = g()\nf(*args, torch.zeros(8))",
        "for g, n in ((f, 8), (h, 9)):\n    g(torch.zeros(n))",
        "for g in (h, k):\n    g(torch.zeros(8))",
        "other(torch.zeros(8, 8))",
        "f(torch.zeros(8, 8)",
    ],
)
def test_what_is_not_evident(body: str) -> None:
    assert shown(body) == {}


PROGRAM = """\
import pypto.language as pl


@pl.jit.incore
def double(a: pl.Tensor, c: pl.Out[pl.Tensor]):
    t = pl.load(a, [0, 0], [64, 64])
    c = pl.store(pl.add(t, t), [0, 0], c)
    return c


@pl.jit
def main(x: pl.Tensor, y: pl.Out[pl.Tensor]):
    for i in pl.range(2):
        y[i * 64 : (i + 1) * 64, :] = double(x[i * 64 : (i + 1) * 64, :], y[i * 64 : (i + 1) * 64, :])
    return y
"""
SIMPLE = """\
import pypto.language as pl


@pl.jit.incore
def double(a: pl.Tensor, c: pl.Out[pl.Tensor]):
    t = pl.load(a, [0, 0], [64, 64])
    c = pl.store(pl.add(t, t), [0, 0], c)
    return c


@pl.jit
def main(x: pl.Tensor, y: pl.Out[pl.Tensor]):
    m = pl.slice(x, [64, 64], [0, 0])
    y = double(m, y)
    return y
"""
GIVEN = ("--arg", "x=FP32[128,64]", "--arg", "y=FP32[64,64]")


@pytest.fixture(autouse=True)
def inside(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def compiled(text: str, *words: str) -> tuple[int, dict[str, Any]]:
    Path("a.py").write_text(text)
    code, out, err = pto("compile", "a.py", "-o", "out", "--format", "json", *words)
    assert err == ""
    return code, json.loads(out)


def test_shapes_that_are_given_reach_the_kernels() -> None:
    code, document = compiled(SIMPLE, *GIVEN)
    assert (code, document["open_parameters"], document["diagnostics"]) == (0, [], [])
    assert "float" in Path("out/kernels/aiv/double.cpp").read_text()


def test_shapes_that_a_call_shows() -> None:
    call = "\n\nif __name__ == '__main__':\n    main(torch.zeros(128, 64), torch.zeros((64, 64)))\n"
    code, document = compiled(SIMPLE + call)
    assert (code, document["open_parameters"]) == (0, [])


def test_what_is_given_counts_more_than_a_call() -> None:
    call = "\n\nmain(torch.zeros(128, 64, dtype=torch.int32), torch.zeros((64, 64), dtype=torch.int32))\n"
    assert compiled(SIMPLE + call)[0] == 0
    assert "int32_t" in Path("out/kernels/aiv/double.cpp").read_text()
    assert compiled(SIMPLE + call, *GIVEN)[0] == 0
    assert "float" in Path("out/kernels/aiv/double.cpp").read_text()


def test_what_is_missing_is_named() -> None:
    Path("a.py").write_text(SIMPLE)
    code, _, err = pto("compile", "a.py", "-o", "out")
    assert code == 1
    assert [line for line in err.splitlines() if "note" in line] == [
        f"pto-lsp: note: nothing says the type and shape of '{name}': give them, for example --arg "
        f"'{name}=FP32[128, 128]'"
        for name in "xy"
    ]
    assert compiled(SIMPLE, *GIVEN[:2])[1]["open_parameters"] == ["y"]


def test_the_orchestration_alone_takes_the_extents_of_the_run() -> None:
    code, document = compiled(SIMPLE, "--orchestration-only")
    assert (code, document["open_parameters"], document["files"]) == (
        0,
        ["x", "y"],
        ["kernel_config.py", "orchestration/main.cpp"],
    )


def test_columns_are_those_of_the_authors_text() -> None:
    text = SIMPLE.replace("    t = pl.load", "    t = pl.operation_of_tomorrow(a)\n    t = pl.load")
    text = text.replace("def double(a: pl.Tensor, c: pl.Out[pl.Tensor]):", "def double(a: pl.Tensor, c: pl.Tensor):")
    code, document = compiled(text, *GIVEN)
    assert code == 1
    for found in document["diagnostics"]:
        line = text.splitlines()[found["location"]["row"] - 1]
        assert found["end_location"]["column"] <= len(line) + 1


@pytest.mark.parametrize(
    ("argument", "message"),
    [
        ("z=FP32[2]", "a.py: --arg: 'main' has no parameter 'z'"),
        ("x=FP33[2]", "--arg: no data type 'FP33'"),
        ("n=FP32[2]", "a.py: --arg: 'n' cannot be FP32[2]: it is no tensor"),
        ("w=FP16[4, 4]", "a.py: --arg: 'w' cannot be FP16[4, 4]: it is declared as FP32"),
        ("w=FP32[4]", "a.py: --arg: 'w' cannot be FP32[4]: it is declared with 2 dimensions"),
        ("w=FP32[4, 5]", "a.py: --arg: 'w' cannot be FP32[4, 5]: extent 1 is declared as 4"),
    ],
)
def test_what_cannot_be_given(argument: str, message: str) -> None:
    Path("a.py").write_text(
        SIMPLE.replace("def main(", "def main(w: pl.Tensor[[4, 4], pl.FP32], n: pl.Scalar[pl.INDEX], ")
    )
    assert pto("compile", "a.py", "-o", "out", "--arg", argument) == (2, "", f"pto-lsp: error: {message}\n")


@pytest.mark.parametrize("text", ["x", "x=", "x=FP32", "x=FP32[]", "x=FP32[a]", "=FP32[2]", "x=FP32[2"])
def test_wrong_usage(text: str) -> None:
    code, _, err = pto("compile", "a.py", "-o", "out", "--arg", text)
    assert code == 2 and "expected NAME=DTYPE[EXTENT, ...]" in err


def test_a_helper_of_another_module_gets_the_shapes_too() -> None:
    kernel, _, entry = SIMPLE.partition("@pl.jit\n")
    Path("kernels.py").write_text(kernel)
    code, document = compiled(f"import pypto.language as pl\nfrom kernels import double\n\n\n@pl.jit\n{entry}", *GIVEN)
    assert (code, document["diagnostics"]) == (0, [])
    assert Path("kernels.py").read_text() == kernel


def test_calls_that_disagree_about_an_extent_leave_it_to_the_run() -> None:
    text = SIMPLE.replace("    return y\n", "    y = double(x, y)\n    return y\n")
    code, document = compiled(text, *GIVEN)
    assert (code, [each["code"] for each in document["diagnostics"] if each["severity"] == "error"]) == (0, [])
