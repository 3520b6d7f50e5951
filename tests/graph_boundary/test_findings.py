"""Ranges, subjects, sentences and related places of findings."""

from __future__ import annotations

from collections.abc import Iterator

from tests.graph_boundary.cases import BUMP, CREATE, W_IDX, cases, layer, looped
from tests.graph_boundary.harness import Analysed, analysed, program_of
from tests.graph_boundary.naming import rules

CTL = "ctl: pl.Tensor[[4], pl.INDEX]"


def of(body: str, extra: str = "", main: str | None = None) -> Analysed:
    return analysed(program_of(layer(body, extra), main))


def notes(program: Analysed, code: str) -> list[str]:
    return [program.text_at(note.place) for note in program.finding(code).notes]


def programs() -> Iterator[Analysed]:
    for case in cases():
        for mode in case.modes:
            yield analysed(program_of(case.functions, case.main), mode, case.target)


def test_every_finding_names_its_subject_in_quotes() -> None:
    for program in programs():
        for finding in program.plan.findings:
            assert f"'{finding.subject}'" in finding.message, finding.message
            assert finding.function
            start, end = program.span(finding.place)
            assert 0 <= start < end <= len(program.text)


def test_no_finding_is_there_twice() -> None:
    for program in programs():
        # An unrolled statement is several statements at one place.
        found = [(f.code, program.span(f.place), dict(f.data).get("variable", "")) for f in program.plan.findings]
        assert len(set(found)) == len(found)


@rules("A1")
def test_a_hoisted_scalar_points_at_its_binding_and_at_what_it_comes_from() -> None:
    program = of("base = idx * 128\ntail = base + n\nc = self.shift(a, c, tail)\nreturn c", "idx: IDX, n: IDX")
    found = [f for f in program.plan.findings if f.code == "PTO101"]
    assert [program.text_at(f.place) for f in found] == ["base", "tail"]
    assert [program.text_at(n.place) for n in found[1].notes] == ["idx", "n", "self.shift(a, c, tail)"]
    assert dict(found[1].data)["variable"] == "tail"


def test_a_rename_points_at_its_binding() -> None:
    program = of("col = idx\nc = self.shift(a, c, col)\nreturn c", "idx: IDX")
    assert program.text_at(program.finding("PTO102").place) == "col"
    assert notes(program, "PTO102") == ["idx", "self.shift(a, c, col)"]


@rules("A10", "A12")
def test_a_value_read_points_at_the_argument_and_at_the_read() -> None:
    program = of("n = pl.tensor.read(ctl, [0])\nm = n * 2\nc = self.shift(a, c, m)\nreturn c", CTL)
    finding = program.finding("PTO103")
    assert program.text_at(finding.place) == "m"
    assert notes(program, "PTO103") == ["pl.tensor.read(ctl, [0])"]
    assert "read from a tensor" in finding.message


def test_a_run_time_index_points_at_its_loop() -> None:
    program = of("for i in pl.range(n):\n    c = self.shift(a, c, i)\nreturn c", "n: IDX")
    assert notes(program, "PTO103") == ["for i in pl.range(n):"]
    assert notes(program, "PTO410") == ["self.shift(a, c, i)", "n"]


@rules("A9", "L2")
def test_inline_arguments_and_core_counts_are_pointed_at_themselves() -> None:
    program = of("c = self.shift(a, c, idx * 2 + 1)\nreturn c", "idx: IDX")
    finding = program.finding("PTO104")
    assert program.text_at(finding.place) == "idx * 2 + 1"
    assert dict(finding.data)["derivable"] is True
    mixed = of("for i in pl.range(4):\n    c = self.shift(a, c, idx * i)\nreturn c", "idx: IDX")
    assert dict(mixed.finding("PTO104").data)["derivable"] is False


@rules("A9b")
def test_operators_are_receivers_too() -> None:
    body = (
        "ids = pl.array.create(8, pl.TASK_ID)\nfor i in pl.range({bound}):\n    c, t = pl.submit(self.bump, a, c)\n"
        "    ids[{index}] = t\nreturn c"
    )
    assert of(body.format(bound="4", index="i"), "n: IDX").refusals == []
    assert of(body.format(bound="4", index="n"), "n: IDX").refusals == []
    assert of(body.format(bound="4", index="n + i"), "n: IDX").refusals == ["PTO104"]
    varying = of(body.format(bound="n", index="i"), "n: IDX")
    assert varying.refusals == ["PTO103", "PTO410"]
    assert "array.update_element" in varying.finding("PTO103").message


@rules("A8", "I9")
def test_task_ids_are_never_boundary_scalars() -> None:
    body = (
        "ids = pl.array.create(4, pl.TASK_ID)\nfor i in pl.range(4):\n    c, t = pl.submit(self.bump, a, c)\n"
        "    ids[i] = t\nu = ids[2]\nv = u\nc, last = pl.submit(self.bump, a, c, deps=[v])\nreturn c"
    )
    program = of(body)
    assert program.refusals == [] and program.graph().nodes == 5


@rules("B8", "E3")
def test_a_mixed_window_names_view_and_immediate_source_and_points_at_the_slice() -> None:
    body = (
        "al = w\nfor i in pl.range(2):\n    v = pl.slice(al, [128, 128], [idx * 256 + i * 128, 0])\n"
        "    c = self.mix(a, v, c)\nreturn c"
    )
    program = of(body, W_IDX)
    finding = program.finding("PTO202")
    assert program.text_at(finding.place) == "pl.slice(al, [128, 128], [idx * 256 + i * 128, 0])"
    assert finding.subject == "v" and "'al'" in finding.message and "'layer'" in finding.message
    assert notes(program, "PTO202") == ["idx", "for i in pl.range(2):", "w"]


def test_a_hoisted_view_points_at_the_slice_its_root_and_its_task() -> None:
    program = of("wl = pl.slice(w, [128, 128], [idx, 0])\nc = self.mix(a, wl, c)\nreturn c", W_IDX)
    assert program.text_at(program.finding("PTO201").place) == "pl.slice(w, [128, 128], [idx, 0])"
    assert notes(program, "PTO201") == ["w", "self.mix(a, wl, c)"]


def test_a_view_written_inside_an_argument_is_hoisted_like_any_other() -> None:
    program = of("c = self.mix(a, pl.slice(w, [128, 128], [idx, 0]), c)\nreturn c", W_IDX)
    finding = program.finding("PTO201")
    assert finding.subject == program.text_at(finding.place) == "pl.slice(w, [128, 128], [idx, 0])"
    assert len(program.appended()) == 1 and program.violations == ()


@rules("N4")
def test_a_branch_points_at_its_header_and_at_the_task_inside() -> None:
    program = of("if idx > 2:\n    d = self.bump(a, c)\n" + BUMP, "idx: IDX")
    assert program.text_at(program.finding("PTO411").place) == "if idx > 2:"
    assert notes(program, "PTO411") == ["self.bump(a, c)", "idx"]


def test_a_loop_that_may_be_left_early_is_a_branch() -> None:
    program = of("for i in pl.range(4):\n    if idx > 2:\n        break\n    c = self.bump(a, c)\nreturn c", "idx: IDX")
    assert program.refusals == ["PTO411"]


@rules("N1", "N6")
def test_what_is_a_node() -> None:
    body = (
        "c = self.bump(a, c)\nc, t = pl.submit(self.bump, a, c)\nd = pl.system.task_dummy(deps=[t])\n"
        "v = pl.slice(w, [128, 128], [0, 0])\nn = pl.tensor.dim(a, 0)\nc = self.mix(a, v, c)\nreturn c"
    )
    assert of(body, "w: W").graph().nodes == 4


@rules("N5", "N11")
def test_allocations_that_stay_are_batched_per_statement_list() -> None:
    launches = "".join("    c = self.bump(a, c)\n" for _ in range(20))
    creates = "".join(f"    m{i} = {CREATE}\n" for i in range(20))
    body = f"for i in pl.range(2):\n{creates}{launches}for i in pl.range(1024):\n    c = self.bump(a, c)\n{BUMP}"
    assert of(body).finding("PTO409").data[-1] == ("count", 1069)
    single = f"for i in pl.range(1024):\n    c = self.bump(a, c)\nfor i in pl.range(2):\n    m = {CREATE}\n{BUMP}"
    assert of(single.replace(BUMP, "return c")).finding("PTO409").data[-1] == ("count", 1026)
    scoped = (
        f"for i in pl.range(2):\n    m = {CREATE}\n    with pl.scope():\n        k = {CREATE}\n"
        "    c = self.bump(k, c)\nreturn c"
    )
    assert of(scoped).graph().nodes == 2 * 3


@rules("N7", "N9", "N10")
def test_a_count_is_only_judged_when_every_statement_has_one() -> None:
    program = of("for i in pl.range(n):\n    c = self.bump(a, c)\nreturn c", "n: IDX")
    assert program.refusals == ["PTO410"] and program.graph().nodes is None


@rules("D1", "D2", "D3", "D4", "D5", "D6")
def test_signature_findings_point_at_parameters_and_counts_at_the_name() -> None:
    many = ", ".join(f"s{i}: IDX" for i in range(61))
    body = "".join(f"x{i} = s0 * {i + 2}\nc = self.shift(a, c, x{i})\n" for i in range(5)) + "return c"
    program = of(body, many)
    finding = program.finding("PTO404")
    assert program.text_at(finding.place) == "layer"
    assert "61 declared, 5 hoisted" in finding.message and dict(finding.data)["count"] == 66


@rules("D8", "F11")
def test_a_computed_return_points_at_the_return_and_at_the_value() -> None:
    program = of("r = self.fill(a)\nc = self.bump(r, c)\nreturn r")
    assert program.text_at(program.finding("PTO407").place) == "return r"
    assert notes(program, "PTO407") == ["r"]


@rules("D8")
def test_a_return_after_a_branch_points_at_the_branch() -> None:
    program = of("if n > 3:\n    c = self.bump(a, c)\nc = self.bump(a, c)\nreturn c", "n: IDX")
    finding = program.finding("PTO407")
    assert program.text_at(finding.place) == "return c"
    assert "'c' after a branch" in finding.message
    assert [text.partition("\n")[0] for text in notes(program, "PTO407")] == ["if n > 3:"]


@rules("F1", "F2", "F10")
def test_allocation_findings_point_at_the_call() -> None:
    program = of("t = pl.create_tensor([n, 128], dtype=pl.FP32)\n" + BUMP, "n: IDX")
    finding = program.finding("PTO302")
    assert program.text_at(finding.place) == "pl.create_tensor([n, 128], dtype=pl.FP32)"
    assert "'t'" in finding.message and dict(finding.data)["derivable"] is True
    looped_ = of("for i in pl.range(2):\n    t = pl.create_tensor([i, 128], dtype=pl.FP32)\n" + BUMP)
    assert dict(looped_.finding("PTO302").data)["derivable"] is False


@rules("F4")
def test_an_allocation_in_a_loop_points_at_the_loop() -> None:
    program = of(f"for i in pl.range(2):\n    t = {CREATE}\n    t = self.bump(a, t)\n{BUMP}")
    finding = program.finding("PTO304")
    assert (finding.subject, program.text_at(finding.place)) == ("t", CREATE)
    assert notes(program, "PTO304") == ["for i in pl.range(2):"]


def test_a_spliced_statement_says_where_it_was_called_from() -> None:
    inline = (
        "@pl.function(type=pl.FunctionType.Inline)\ndef helper(self, a: T, c: pl.InOut[T], k: IDX) -> T:\n"
        "    c = self.shift(a, c, k * 2)\n    return c\n\n"
    )
    program = analysed(program_of(inline + layer("c = self.helper(a, c, idx)\nreturn c", "idx: IDX"), looped()))
    finding = program.finding("PTO104")
    assert program.text_at(finding.place) == "k * 2"
    assert program.text_at(finding.notes[-1].place) == "self.helper(a, c, idx)"


def test_positions_count_code_points() -> None:
    program = of("c = self.shift(a, c, idx * 2)  # 注释 😀\nc = self.shift(a, c, idx * 3)\nreturn c", "idx: IDX")
    assert [program.text_at(f.place) for f in program.plan.findings if f.code == "PTO104"] == ["idx * 2", "idx * 3"]
