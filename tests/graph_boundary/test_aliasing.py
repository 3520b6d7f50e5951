"""Tensors that a recording cannot tell apart, with the replay simulator as the judge."""

from __future__ import annotations

import pytest

from pto_lsp.analysis.replay.simulation import simulate
from tests.graph_boundary.cases import W_IDX, layer, looped
from tests.graph_boundary.harness import Analysed, analysed, program_of
from tests.graph_boundary.naming import rules


def called(body: str, arguments: str = "a, c, w, i", trips: int = 4, extra: str = W_IDX) -> Analysed:
    return analysed(program_of(layer(body, extra), looped(arguments, "w: W", trips)))


def replays_right(program: Analysed) -> bool:
    simulation = simulate(program.legal, "main")
    assert simulation.problems == () and simulation.gaps == ()
    return simulation.equal


PAIR = (
    "v = pl.slice(w, [128, 128], [{one}, 0])\nu = pl.slice(w, [128, 128], [{other}, 0])\n"
    "c = self.mix(v, u, c)\nreturn c"
)


@pytest.mark.parametrize(
    ("one", "other", "arguments"),
    [
        ("idx * 128", "0", "a, c, w, i"),
        ("0", "idx * 128", "a, c, w, i"),
        ("idx * 128", "idx * 64", "a, c, w, i"),
        ("idx * 128", "256", "a, c, w, 2 - i"),
        ("pl.min(idx, 2)", "idx * 3", "a, c, w, i"),
    ],
)
def test_two_windows_that_coincide_in_the_first_call_only(one: str, other: str, arguments: str) -> None:
    program = called(PAIR.format(one=one, other=other), arguments, 3)
    finding = program.finding("PTO424")
    assert not replays_right(program)
    assert finding.subject == "u" and "'v'" in finding.message
    assert program.text_at(finding.place) == f"pl.slice(w, [128, 128], [{other}, 0])"
    assert program.text_at(finding.notes[1].place) == f"self.layer({arguments})"


@pytest.mark.parametrize(
    ("one", "other", "arguments"),
    [
        ("idx * 128", "idx * 128 + 128", "a, c, w, i"),
        ("idx * 128", "idx * 128", "a, c, w, i"),
        ("idx * 128", "0", "a, c, w, i + 1"),
        ("idx * 128", "512", "a, c, w, i"),
        ("0", "128", "a, c, w, i"),
    ],
)
def test_windows_that_never_coincide_or_always_do(one: str, other: str, arguments: str) -> None:
    program = called(PAIR.format(one=one, other=other), arguments, 3)
    assert "PTO424" not in program.codes
    assert replays_right(program)


def test_what_is_not_known_about_the_call_is_no_reason() -> None:
    functions = layer(PAIR.format(one="idx * 128", other="0"), W_IDX)
    unknown = "@ORCH\ndef main(self, a: T, c: pl.InOut[T], w: W, n: IDX) -> T:\n    {body}\n    return c\n"
    for body in (
        "c = self.layer(a, c, w, n)",
        "for i in pl.range(n):\n        c = self.layer(a, c, w, i)",
        "if n > 0:\n        c = self.layer(a, c, w, 0)\n    c = self.layer(a, c, w, 1)",
    ):
        assert "PTO424" not in analysed(program_of(functions, unknown.format(body=body))).codes
    sites = "c = self.layer(a, c, w, 0)\n    c = self.layer(a, c, w, 1)"
    assert "PTO424" in analysed(program_of(functions, unknown.format(body=sites))).codes


def test_a_window_that_no_task_gets_is_no_reason() -> None:
    body = PAIR.format(one="idx * 128", other="0").replace("self.mix(v, u, c)", "self.mix(a, v, c)")
    program = called(body)
    assert "PTO424" not in program.codes and replays_right(program)


def test_a_window_left_in_place_that_equals_a_moving_one_on_some_trip() -> None:
    body = (
        "v = pl.slice(w, [128, 128], [{moving}, 0])\nc = self.mix(a, v, c)\nfor j in pl.range(2):\n"
        "    u = pl.slice(w, [128, 128], [j * 128, 0])\n    c = self.mix(a, u, c)\nreturn c"
    )
    program = called(body.format(moving="idx * 128"))
    assert program.finding("PTO424").subject == "u" and not replays_right(program)
    apart = called(body.format(moving="idx * 128 + 256"))
    assert "PTO424" not in apart.codes and replays_right(apart)


@rules("F6")
def test_windows_of_a_hoisted_allocation_coincide_too() -> None:
    body = (
        "t = pl.create_tensor([1024, 128], dtype=pl.FP32)\nt = self.touch(a, t)\n"
        "v = pl.slice(t, [128, 128], [idx * 128, 0])\nu = pl.slice(t, [128, 128], [0, 0])\n"
        "c = self.mix(v, u, c)\nreturn c"
    )
    program = called(body)
    assert program.finding("PTO424").subject == "u" and not replays_right(program)


NESTED = (
    "outer = pl.slice(w, [256, 128], [{moving}, 0])\nfor j in pl.range(2):\n"
    "    v = pl.slice(outer, [128, 128], [j * 128, 0])\n    c = self.mix(a, v, c)\nreturn c"
)


@rules("B12", "B13")
def test_a_view_of_a_moving_window_is_remembered_by_its_distance_from_the_root() -> None:
    program = called(NESTED.format(moving="idx * 256"))
    finding = program.finding("PTO424")
    assert finding.subject == "v" and "'outer'" in finding.message and "'w'" in finding.message
    assert not replays_right(program)
    still = called(NESTED.format(moving="256"))
    assert "PTO424" not in still.codes and replays_right(still)


def test_a_reshape_of_a_moving_window_is_remembered_likewise() -> None:
    flat = "@INCORE\ndef flat(self, f: pl.Tensor[[16384], pl.FP32], c: pl.InOut[T]) -> T:\n    return c\n\n"
    body = "v = pl.slice(w, [128, 128], [idx * 128, 0])\nf = pl.reshape(v, [16384])\nc = self.flat(f, c)\nreturn c"
    program = analysed(program_of(flat + layer(body, W_IDX), looped("a, c, w, i", "w: W")))
    assert program.finding("PTO424").subject == "f" and not replays_right(program)


def test_the_window_alone_on_the_boundary_is_right() -> None:
    functions = layer(
        "for j in pl.range(2):\n    v = pl.slice(outer, [128, 128], [j * 128, 0])\n    c = self.mix(a, v, c)\nreturn c",
        "outer: pl.Tensor[[256, 128], pl.FP32]",
    )
    main = (
        "@ORCH\ndef main(self, a: T, c: pl.InOut[T], w: W) -> T:\n    for i in pl.range(4):\n"
        "        o = pl.slice(w, [256, 128], [i * 256, 0])\n        c = self.layer(a, c, o)\n    return c\n"
    )
    program = analysed(program_of(functions, main))
    assert program.codes == [] and replays_right(program)


@rules("F4")
def test_a_moving_window_of_a_buffer_that_the_recording_owns() -> None:
    body = (
        "for j in pl.range(2):\n    t = pl.create_tensor([1024, 128], dtype=pl.FP32)\n"
        "    v = pl.slice(t, [128, 128], [{moving}, 0])\n    v = self.bump(a, v)\n    c = self.bump(v, c)\nreturn c"
    )
    program = called(body.format(moving="idx * 128"), "a, c, w, i")
    finding = program.finding("PTO204")
    assert finding.subject == "v" and "'t'" in finding.message and not replays_right(program)
    still = called(body.format(moving="j * 128"))
    assert "PTO204" not in still.codes and replays_right(still)


def test_a_moving_window_of_a_buffer_that_a_task_made() -> None:
    half = "@INCORE\ndef half(self, v: pl.Tensor[[64, 128], pl.FP32], c: pl.InOut[T]) -> T:\n    return c\n\n"
    body = "r, t = pl.submit(self.fill, a)\nv = pl.slice(r, [64, 128], [idx, 0])\nc = self.half(v, c)\nreturn c"
    program = analysed(program_of(half + layer(body, "idx: IDX"), looped()))
    finding = program.finding("PTO204")
    assert finding.subject == "v" and "'r'" in finding.message and not replays_right(program)
