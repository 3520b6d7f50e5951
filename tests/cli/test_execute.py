"""``pto-lsp run``: tasks on numpy arrays."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from tests.cli.command import EXAMPLES, IN_CLASS, JIT, pto

RACE = """\
import pypto.language as pl


@pl.jit
def f(x: pl.Tensor[[4, 8], pl.FP32], y: pl.Out[pl.Tensor[[4, 8], pl.FP32]], s: pl.InOut[pl.Tensor[[4, 8], pl.FP32]]):
    with pl.at(level=pl.Level.CORE_GROUP):
        y[:, :] = pl.add(s[:, :], 1.0)
    with pl.at(level=pl.Level.CORE_GROUP):
        s[:, :] = pl.mul(x[:, :], 2.0)
    return y, s
"""


@pytest.fixture(autouse=True)
def inside(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("a.py").write_text(IN_CLASS)
    Path("b.py").write_text(JIT)
    Path("race.py").write_text(RACE)


@pytest.mark.parametrize("order", [(), ("--order", "random", "--seed", "5")])
def test_the_check_of_the_tutorial_holds(order: tuple[str, ...]) -> None:
    code, out, err = pto(
        "run", f"{EXAMPLES}/tutorial/two_stages.py::two_stages", "--expect", "out == (x + x) + (x + x)", *order
    )
    assert (code, err) == (0, "")
    assert out.splitlines()[-1] == "holds: out == (x + x) + (x + x)"
    assert out.startswith(f"two_stages: 2 tasks in {'random order 5' if order else 'order of submission'}\n")


def test_a_check_that_fails_is_the_exit_code() -> None:
    code, out, _ = pto("run", f"{EXAMPLES}/tutorial/two_stages.py", "--expect", "out == x")
    assert (code, out.splitlines()[-1]) == (1, "FAILS: out == x")
    code, _, err = pto("run", f"{EXAMPLES}/tutorial/two_stages.py", "--expect", "nothing == x")
    assert code == 2
    assert "name 'nothing' is not defined" in err


def test_arrays_come_from_and_go_to_archives() -> None:
    rng = np.random.default_rng(1)
    a, c = (rng.uniform(size=(64, 64)).astype(np.float32) for _ in range(2))
    np.savez("in.npz", a=a, c=c)
    code, out, err = pto("run", "b.py::plain", "--input", "in.npz", "--output", "out.npz")
    assert (code, err) == (0, "")
    with np.load("out.npz") as found:
        assert sorted(found.files) == ["a", "c"]
        np.testing.assert_array_equal(found["c"], a + (a + c))
    assert "c: FP32[64, 64] min" in out


def test_random_inputs_do_not_depend_on_the_order() -> None:
    lines = [pto("run", "b.py::stacked", "--order", "random", "--seed", seed)[1].splitlines()[1:] for seed in "12"]
    assert lines[0] == lines[1]
    assert pto("run", "b.py::stacked", "--data-seed", "1")[1].splitlines()[1:] != lines[0]


def test_a_race_is_reported_with_the_order_that_shows_it() -> None:
    codes = [pto("run", "race.py", "--order", "random", "--seed", str(seed)) for seed in range(8)]
    assert {code for code, _, _ in codes} == {0, 1}
    shown = next(out for code, out, _ in codes if code == 1)
    assert shown.startswith("race: 'y' differs in 32 of 32 elements in order ")


def test_a_graph_runs_as_legalized() -> None:
    code, out, _ = pto("run", "a.py", "--expect", "np.array_equal(c[:8], a[16:24])")
    assert (code, out.splitlines()[0]) == (0, "main: 3 tasks in order of submission")


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("race.py", "--input", "none.npz"), "none.npz"),
        (("race.py", "--input", "race.py"), "race.py"),
        (("race.py", "--arg", "q=3"), "'f' has no parameter 'q'"),
        (("race.py::g",), "no entry 'g'"),
        (("scalar.py",), "scalar.py:6: scalar parameter 'n' has no value"),
        (("sort.py",), "sort.py:7: the operation 'pl.sort32' is not executed"),
    ],
)
def test_what_cannot_run_says_why(words: tuple[str, ...], message: str) -> None:
    Path("scalar.py").write_text(RACE.replace("def f(x:", "def f(\n    n: pl.Scalar[pl.INT32], x:"))
    Path("sort.py").write_text(RACE.replace("pl.add(s[:, :], 1.0)", "pl.sort32(s[:, :], s[:, :])"))
    code, _, err = pto("run", *words)
    assert code == 2
    assert message in err


def test_scalars_and_extents_are_given_by_name() -> None:
    Path("dim.py").write_text(
        RACE.replace("def f(x:", "def f(n: pl.Scalar[pl.INT32], x:")
        .replace("[4, 8]", "[M, 8]")
        .replace("\n\n\n@pl", '\n\nM = pl.dynamic("M")\n\n\n@pl', 1)
    )
    code, out, err = pto("run", "dim.py", "--arg", "n=3", "--dim", "M=12", "--expect", "y == before['s'] + 1")
    assert (code, err) == (0, "")
    assert "y: FP32[12, 8]" in out


def test_bare_tensors_get_their_type_from_the_command_line() -> None:
    Path("bare.py").write_text(RACE.replace("pl.Tensor[[4, 8], pl.FP32]", "pl.Tensor"))
    words = [word for name in "xys" for word in ("--arg", f"{name}=FP32[2, 4]")]
    code, out, err = pto("run", "bare.py", *words, "--expect", "y == before['s'] + 1")
    assert (code, err) == (0, "")
    assert "s: FP32[2, 4] min" in out


def test_bare_tensors_get_their_type_from_a_call_in_the_file_or_an_archive() -> None:
    bare = RACE.replace("[[4, 8], pl.FP32]", "")
    Path("bare.py").write_text(bare)
    code, _, err = pto("run", "bare.py")
    assert (code, err) == (
        2,
        "pto-lsp: error: bare.py:5: nothing says the type and shape of 'x': give them, for example "
        "--arg 'x=FP32[128, 128]', or an array with --input\n",
    )
    call = "x, y, s = torch.ones(4, 8), torch.empty(4, 8), torch.rand(4, 8)\nf(x, y, s)\n"
    Path("bare.py").write_text(f"{bare}\n{call}")
    code, out, err = pto("run", "bare.py", "--expect", "y == before['s'] + 1", "--expect", "s == x * 2")
    assert (code, err) == (0, "")
    assert "y: FP32[4, 8]" in out
    np.savez("in.npz", x=np.ones((2, 3), np.float16), y=np.ones((2, 3), np.float16), s=np.ones((2, 3), np.float16))
    code, out, err = pto("run", "bare.py", "--input", "in.npz")
    assert (code, err) == (0, "")
    assert "y: FP16[2, 3] min 2, max 2, mean 2" in out


def test_a_refused_program_does_not_run() -> None:
    Path("bad.py").write_text(RACE.replace("    return y, s", "    y = undefined_thing\n    return y, s"))
    code, out, err = pto("run", "bad.py")
    assert (code, out) == (1, "")
    assert "PTO003" in err


@pytest.mark.parametrize("text", ["n", "n=", "=3", "n=x", "n=FP32[", "n=FP32[a]", "n=[3]"])
def test_wrong_numbers_are_wrong_usage(text: str) -> None:
    assert pto("run", "race.py", "--arg", text)[0] == 2
