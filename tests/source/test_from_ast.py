"""What is made of Python's own tree is what libcst would have said, and most lines need no libcst."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings

from pto_lsp.analysis.source import concrete, syntax_errors
from pto_lsp.analysis.source.from_ast.statements import statements
from pto_lsp.analysis.source.syntax import Statement
from pto_lsp.analysis.source.wrapping import UnitKind, wrap
from tests.support.effort import examples
from tests.support.unit_texts import units

pytestmark = pytest.mark.filterwarnings("ignore")
SIMPLE, HEADER, DECORATOR = UnitKind.SIMPLE, UnitKind.HEADER, UnitKind.DECORATOR
PARAMETER, DEF_HEAD, EXPRESSION = UnitKind.PARAMETER, UnitKind.DEF_HEAD, UnitKind.EXPRESSION


def converted(text: str, kind: UnitKind) -> tuple[Statement, ...] | None:
    """From Python's tree; it is compared with libcst wherever that can read the unit."""
    wrapped = wrap(0, text, kind)
    tree = syntax_errors.check(wrapped)
    assert isinstance(tree, (ast.Module, ast.Expression)), text
    found = statements(wrapped, tree)
    read = concrete.parse_alone(wrapped)
    if found is not None and "unknown syntax" not in repr(read):
        assert repr(found) == repr(read)
    return found


@settings(max_examples=examples(400), deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(units())
def test_random_units_are_what_libcst_says(unit: tuple[str, UnitKind]) -> None:
    converted(*unit)


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("x, y = z = f(a)[b].c", SIMPLE),
        ("x: pl.Tensor[[N, 16], pl.FP32] = (t)", SIMPLE),
        ("x **= -y; return", SIMPLE),
        ("return (x)", SIMPLE),
        ("pass; break; continue", SIMPLE),
        ("'''what\nit does'''", SIMPLE),
        ("x = 1  # why", SIMPLE),
        ("x = pl.slice(\n    t,  # what (\n    [4, 4],\n    offset=[i, 0]  # where\n)", SIMPLE),
        ("f((a), ((b)) , k=(c), *d, **(e))", SIMPLE),
        ("f(k=1, *a)", SIMPLE),
        ("f((a)\n)", SIMPLE),
        ("(f)((a))", SIMPLE),
        ("x = ((a + b) * c, (d), (e, f))", SIMPLE),
        ("x = (a), b", SIMPLE),
        ("x = (a and (b)) and (c) and d or (not e)", SIMPLE),
        ("x = a < b <= c is not (d) not in e", SIMPLE),
        ("x = a if (b) else c", SIMPLE),
        ("x = a[1:, :n, lo:hi:st, ::, (0, 1), -1]", SIMPLE),
        ("x = a[(0, 1)], a[0,], a[(0), (1)], a[(0, 1),], a[()], a[:,], a[((0, 1))], a[(0, 1), (2, 3)]", SIMPLE),
        ("x = [(y, i) for i, y in enumerate(z) if y if (i) > 0]", SIMPLE),
        ("x = {y: z, **w, 'k': ('é' '😀'), **{}}, 2j", SIMPLE),
        ("x = f('é😀', (y), e='é'[0])", SIMPLE),
        ("x = a \\\r\n    + b \\\r\n    - (c)", SIMPLE),
        ("assert x == (y), 'why'", SIMPLE),
        ("raise E(x) from (y)", SIMPLE),
        ("for i, (j) in (pl.range(4)) :", HEADER),
        ("for i in r:  # é (:", HEADER),
        ("while (x) :", HEADER),
        ("if (x) and y:", HEADER),
        ("elif x[(0)]:", HEADER),
        ("else :  # why", HEADER),
        ("with pl.at(level=1) as x, f() as (y.z)[0]:", HEADER),
        ("def f(self, x: (T)) -> (U):", HEADER),
        ("def f():", HEADER),
        ("class A :", HEADER),
        ("def f() -> (T):  # what", DEF_HEAD),
        ("@pl.function(type=(T), attrs={'a': True})  # why", DECORATOR),
        ("@(f)", DECORATOR),
        ("x: pl.Tensor[[N], T] = (1)", PARAMETER),
        ("x:\n (T)", PARAMETER),
        ("  (x + \n 1) ", EXPRESSION),
    ],
)
def test_plain_lines_need_no_libcst(text: str, kind: UnitKind) -> None:
    assert converted(text, kind) is not None


@pytest.mark.parametrize(
    "text",
    [
        "x = f'{y}'",
        "x = sum(y for y in z)",
        "x = [y for y in z for z in w]",
        "x = a[*b]",
        "import a.b",
        "变 = 1",
        "with (a as b, c):",
        "for x in y: pass",
        "try:",
        "def f(*, x):",
        "class A(B):",
        "f(# (\n (a))",
    ],
)
def test_libcst_reads_the_others(text: str) -> None:
    if text == "x = a[*b]" and sys.version_info < (3, 11):
        pytest.skip("newer")
    assert converted(text, UnitKind.HEADER) is None


def test_a_plain_file_is_checked_without_libcst(tmp_path: Path) -> None:
    program = tmp_path / "program.py"
    program.write_text(
        "import pypto.language as pl\n\n\n"
        "@pl.jit\n"
        "def kernel(x: pl.Tensor[[16, 16], pl.FP32], out: pl.Out[pl.Tensor[[16, 16], pl.FP32]]):\n"
        "    with pl.at(level=pl.Level.CORE_GROUP):\n"
        "        for i in pl.range(4):\n"
        "            tile = pl.load(x, [i * 4, 0], [4, 16])\n"
        "            out = pl.store(tile, [(i) * 4, 0], out)\n"
        "    return missing\n"
    )
    script = (
        "import sys; from pto_lsp.cli import main; main(['check', '--no-cache', sys.argv[1]]);"
        "print('libcst' in sys.modules, 'ast' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", script, str(program)], capture_output=True, text=True, check=False)
    assert "PTO003" in done.stdout
    assert done.stdout.splitlines()[-1] == "False True"
