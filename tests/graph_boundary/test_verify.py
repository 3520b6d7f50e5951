"""The verifier: legalization's output is clean, a planted fault of every kind is caught."""

from __future__ import annotations

import pytest

from pto_lsp.analysis.graph_boundary.verify import Violation, verify
from pto_lsp.analysis.ir.program import Program
from tests.graph_boundary.cases import CREATE, W_IDX, cases, layer, looped
from tests.graph_boundary.harness import analysed, program_of
from tests.graph_boundary.naming import rules
from tests.graph_boundary.planted import PLANTED, plus_one, relaunched, with_body

# What the verifier calls a finding of the plan; the checks of the target and of operators are the plan's alone.
RULES_OF_CODE = {
    "PTO103": {"V9"},
    "PTO104": {"V9"},
    "PTO202": {"V5", "V6", "V7"},
    "PTO203": {"V5", "V6", "V7"},
    "PTO302": {"F2"},
    "PTO303": {"F1"},
    "PTO402": {"D4"},
    "PTO403": {"D5"},
    "PTO404": {"D6"},
    "PTO405": {"D2"},
    "PTO406": {"D1"},
    "PTO407": {"D8"},
    "PTO408": {"N7"},
    "PTO409": {"N8"},
    "PTO410": {"N2"},
    "PTO411": {"N4"},
    "PTO412": {"L2"},
    "PTO413": {"D7"},
    "PTO414": {"C5", "C6", "C7"},
    "PTO415": {"C6", "C7"},
    "PTO416": {"C7"},
    "PTO417": {"V13"},
}

RICH = program_of(
    layer(
        "base = idx * 128\nal = base\ntmp = " + CREATE + "\nwl = pl.slice(w, [128, 128], [al, 0])\n"
        "tmp = self.mix(a, wl, tmp)\nfor i in pl.range(4):\n    v = pl.slice(w, [128, 128], [i * 128, 0])\n"
        "    c = self.shift(v, c, al)\nc = self.bump(tmp, c)\nreturn c",
        W_IDX,
    ),
    looped("a, c, w, i", "w: W"),
)


def found(program: Program) -> list[str]:
    return [violation.rule for violation in verify(program)]


@pytest.fixture(scope="module")
def legal() -> Program:
    program = analysed(RICH)
    assert program.refusals == []
    return program.legal


@rules("V1", "V14")
def test_cV01_output_of_legalization_is_clean(legal: Program) -> None:
    assert verify(legal) == ()


@rules("V1", "V7", "V9")
def test_the_program_before_legalization_is_not() -> None:
    assert {"V5", "V9"} <= set(found(analysed(RICH).program))


@rules("V3", "V4", "V10", "V11", "V14")
def test_verifier_and_plan_agree_on_what_is_refused() -> None:
    for case in cases():
        for mode in case.modes:
            program = analysed(program_of(case.functions, case.main), mode)
            # A plain call that leaves out an Out parameter is a matter of the front end, which reports it itself.
            rules_found = {violation.rule for violation in verify(program.legal, mode)} - {"V8"}
            codes = set(program.refusals)
            for code in codes:
                # What a refused program returns may have become a parameter by the time the verifier looks (F11).
                assert RULES_OF_CODE[code] & rules_found or code == "PTO407", (case.id, mode, code)
            unexplained = rules_found - {rule for code in codes for rule in RULES_OF_CODE[code]}
            assert not unexplained, (case.id, mode, unexplained)


@rules("V2", "V10")
def test_cV02_no_tensor_and_no_launch_are_two_findings() -> None:
    source = program_of("@GRAPH\ndef layer(self, n: IDX):\n    m = n + 1\n")
    assert found(analysed(source).program) == ["D4", "N7"]


@rules("V8")
def test_cV03_a_submit_may_leave_out_trailing_outputs_only() -> None:
    kernel = (
        "@INCORE\ndef scaled(self, a: T, c: pl.InOut[T], {last}) -> T:\n"
        "    t = pl.load(a, [0, 0], [128, 128])\n    c = pl.store(t, [0, 0], c)\n    return c\n\n"
    )
    source = program_of(kernel.format(last="scale: IDX") + layer("c, t = pl.submit(self.scaled, a, c)\nreturn c"))
    (violation,) = verify(analysed(source).program)
    assert (violation.rule, violation.subject) == ("V8", "scale")
    source = program_of(kernel.format(last="r: pl.Out[T]") + layer("c, t = pl.submit(self.scaled, a, c)\nreturn c"))
    assert found(analysed(source).program) == []


@rules("V9")
def test_cV04_a_surviving_rename_is_reported() -> None:
    source = program_of(layer("p = idx\nc = self.shift(a, c, p)\nreturn c", "idx: IDX"))
    (violation,) = verify(analysed(source).program)
    assert (violation.rule, violation.subject) == ("V9", "p")


@rules("V9", "V11")
def test_cV05_a_counted_index_is_clean_and_a_value_read_is_not() -> None:
    counted = program_of(layer("for i in pl.range(4):\n    c = self.shift(a, c, i)\nreturn c"))
    assert found(analysed(counted).program) == []
    read = program_of(
        layer("n = pl.tensor.read(ctl, [0])\nc = self.shift(a, c, n)\nreturn c", "ctl: pl.Tensor[[4], pl.INDEX]")
    )
    (violation,) = verify(analysed(read).program)
    assert (violation.rule, violation.subject) == ("V9", "n")


@rules("V5", "V7")
def test_cV06_index_windows_are_clean_and_scalar_windows_are_not() -> None:
    body = "for i in pl.range(4):\n    v = pl.slice(w, [128, 128], [{offset}, 0])\n    c = self.mix(a, v, c)\nreturn c"
    assert found(analysed(program_of(layer(body.format(offset="i * 128"), W_IDX))).program) == []
    (violation,) = verify(analysed(program_of(layer(body.format(offset="idx"), W_IDX))).program)
    assert (violation.rule, violation.subject) == ("V7", "v")


@rules("V5", "X9")
def test_cV07_windows_of_written_back_names_and_of_views_left_in_place() -> None:
    written = program_of(
        "@GRAPH\ndef layer(self, a: T, w: pl.InOut[W], c: pl.InOut[T], idx: IDX) -> T:\n"
        "    w = self.touch(a, w)\n    v = pl.slice(w, [128, 128], [idx, 0])\n    c = self.mix(a, v, c)\n    return c\n"
    )
    assert found(analysed(written).program) == ["V7"]
    body = (
        "for i in pl.range(4):\n    v = pl.slice(w, [256, 128], [i * 128, 0])\n"
        "    u = pl.slice(v, [128, 128], [idx, 0])\n    c = self.mix(a, u, c)\nreturn c"
    )
    (violation,) = verify(analysed(program_of(layer(body, W_IDX))).program)
    assert (violation.rule, violation.subject) == ("V7", "u")


@rules("V4")
def test_cV08_allocations_and_core_counts() -> None:
    full = program_of(layer("z = pl.full([128, 128], dtype=pl.FP32, value=0.0)\nc = self.bump(z, c)\nreturn c"))
    assert found(analysed(full).program) == ["F1"]
    create = program_of(layer("z = pl.create_tensor([n, 128], dtype=pl.FP32)\nc = self.bump(a, c)\nreturn c", "n: IDX"))
    assert found(analysed(create).program) == ["F2"]


@rules("V1", "V2", "V10")
def test_cV09_several_violations_are_all_listed_signature_first() -> None:
    source = program_of(
        "@GRAPH\ndef layer(self, a: T, c: pl.Out[T], n: IDX) -> T:\n    x = n * 2\n    c = self.shift(a, c, x)\n"
        "    for i in pl.range(2000):\n        c = self.bump(a, c)\n    return c\n"
    )
    assert found(analysed(source).program) == ["D2", "V9", "N8"]


@rules("V13", "C6", "C7")
def test_cV10_deps_and_predicate_are_two_findings() -> None:
    source = program_of(
        layer("c = self.bump(a, c)\nreturn c"),
        "@ORCH\ndef main(self, a: T, c: pl.InOut[T], ctl: pl.Tensor[[4], pl.INT32]) -> T:\n"
        "    c, t = pl.submit(self.bump, a, c)\n"
        "    c, u = pl.submit(self.layer, a, c, deps=[t], predicate=(ctl[0] > 0))\n    return c\n",
    )
    assert found(analysed(source).program) == ["C6", "C7"]


def test_a_violation_says_where(legal: Program) -> None:
    program = analysed(RICH)
    broken = with_body(program.legal, relaunched("shift", plus_one))
    (violation,) = verify(broken)
    assert violation.function == "layer"
    assert program.text_at(violation.place).startswith("self.shift(")


@rules("V2", "V3", "V4", "V5", "V6", "V7", "V8", "V9", "V10", "V13")
@pytest.mark.parametrize("fault", PLANTED)
def test_planted_fault_is_caught(fault: str, legal: Program) -> None:
    rule, plant = PLANTED[fault]
    assert rule in found(plant(legal))


@rules("V12")
def test_the_verifier_does_not_look_at_the_target(legal: Program) -> None:
    assert all(isinstance(v, Violation) and v.rule != "G2" for v in verify(legal))
