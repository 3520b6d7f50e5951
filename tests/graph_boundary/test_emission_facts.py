"""What generated code relies on in the legalized IR (section K of the rules, cases cK*)."""

from __future__ import annotations

from pto_lsp.analysis.ir.expressions import Call, Op, Submit, Var
from pto_lsp.analysis.ir.statements import Assign, Unpack
from pto_lsp.analysis.ir.types import ScalarType
from pto_lsp.analysis.ir.visitor import walk_block
from pto_lsp.analysis.replay.simulation import simulate
from tests.graph_boundary.cases import BUMP, CREATE, W_IDX, layer, looped
from tests.graph_boundary.harness import Analysed, analysed, program_of
from tests.graph_boundary.naming import rules


def statements(program: Analysed, function: str) -> list[object]:
    return [getattr(s, "value", None) for s in walk_block(program.legal.functions[function].body or ())]


def launches(program: Analysed, function: str, callee: str) -> list[Call | Submit]:
    return [v for v in statements(program, function) if isinstance(v, (Call, Submit)) and v.callee == callee]


def names(call: Call | Submit) -> list[str]:
    return [arg.label for arg in call.args if isinstance(arg, Var)]


def test_cK01_a_graph_without_hoists_is_called_with_its_tensors_in_order() -> None:
    program = analysed(program_of(layer(BUMP)))
    assert program.legal is program.program
    (call,) = launches(program, "main", "layer")
    assert names(call) == ["a", "c"]


@rules("K2", "C2")
def test_cK02_scalar_slots_are_counted_apart_from_tensors() -> None:
    program = analysed(
        program_of(layer("base = idx * 128\nc = self.shift(a, c, base)\nreturn c", "idx: IDX"), looped())
    )
    scalars = [p.name for p in program.legal.functions["layer"].params if isinstance(p.type, ScalarType)]
    assert scalars == ["idx", "base"]


@rules("K6", "F9")
def test_cK03_a_hoisted_create_is_at_the_call_site_only() -> None:
    program = analysed(program_of(layer(f"tmp = {CREATE}\ntmp = self.bump(a, tmp)\n{BUMP}")))
    creates = {
        f: [v for v in statements(program, f) if isinstance(v, Op) and v.name == "tensor.create"]
        for f in ("layer", "main")
    }
    assert len(creates["layer"]) == 0 and len(creates["main"]) == 1


@rules("C8")
def test_cK04_ids_of_a_region_stay_inside_it() -> None:
    body = "c, t = pl.submit(self.bump, a, c)\nc, u = pl.submit(self.bump, a, c, deps=[t])\nreturn c"
    program = analysed(program_of(layer(body)))
    assert program.refusals == [] and program.graph().nodes == 2
    second = launches(program, "layer", "bump")[1]
    assert [d.label for d in second.options.deps or () if isinstance(d, Var)] == ["t"]


@rules("K7", "C11", "B3")
def test_cK05_two_calls_of_a_graph_use_the_same_buffer() -> None:
    body = "v = pl.slice(c, [64, 128], [idx, 0])\nv = self.half(v)\nc = self.bump(a, c)\nreturn c"
    half = (
        "@INCORE\ndef half(self, v: pl.InOut[pl.Tensor[[64, 128], pl.FP32]]) -> pl.Tensor[[64, 128], pl.FP32]:\n"
        "    t = pl.load(v, [0, 0], [64, 128])\n    v = pl.store(t, [0, 0], v)\n    return v\n\n"
    )
    main = (
        "@ORCH\ndef main(self, a: T, c: pl.InOut[T]) -> T:\n    x = self.layer(a, c, 0)\n    y = self.layer(a, x, 1)\n"
        "    return y\n"
    )
    program = analysed(program_of(half + layer(body, "idx: IDX"), main))
    assert program.appended() == ["v: inout"]
    first, second = program.plan.call_sites
    assert [local.var.name for site in (first, second) for local in site.locals] == ["v__graph_arg0", "v__graph_arg1"]


@rules("K5")
def test_cK06_a_graph_is_not_a_kernel() -> None:
    program = analysed(program_of(layer(BUMP)))
    assert not program.legal.functions["layer"].kind.is_kernel


@rules("K8", "N5")
def test_cK08_seventeen_creates_in_a_loop_body_are_two_nodes_a_trip() -> None:
    creates = "".join(f"    m{i} = {CREATE}\n" for i in range(17))
    program = analysed(program_of(layer(f"for i in pl.range(2):\n{creates}    c = self.bump(a, c)\nreturn c")))
    assert program.graph().nodes == 2 * (2 + 1)


def test_cK07_a_dynamic_extent_of_a_boundary_tensor_is_known_inside() -> None:
    body = (
        "v = pl.slice(x, [128, 128], [0, 0])\nfor i in pl.range(pl.tensor.dim(x, 0)):\n    y = i + 1\n"
        "c = self.bump(v, c)\nreturn c"
    )
    program = analysed(program_of(layer(body, "x: pl.Tensor[[pl.dynamic('M'), 128], pl.FP32]")))
    assert program.refusals == [] and program.appended() == ["v: in"]


@rules("B6", "B13")
def test_cK13b_expert_windows_stay_and_layer_windows_are_taken_first() -> None:
    body = (
        "for e in pl.range(4):\n    wg = pl.slice(w, [128, 128], [{offset}, 0])\n    c = self.mix(a, wg, c)\nreturn c"
    )
    direct = analysed(program_of(layer(body.format(offset="e * 128"), W_IDX)))
    assert direct.refusals == [] and direct.appended() == []
    mixed = analysed(program_of(layer(body.format(offset="idx * 512 + e * 128"), W_IDX)))
    assert mixed.refusals == ["PTO202"]
    outer = "wl = pl.slice(w, [512, 128], [idx * 512, 0])\n" + body.format(offset="e * 128").replace(
        "slice(w,", "slice(wl,"
    )
    split = analysed(program_of(layer(outer, W_IDX)))
    assert split.refusals == [] and split.appended() == ["wl: in"]


JIT = """\
import pypto.language as pl


@pl.jit.incore
def bump(a: pl.Tensor[[64, 64], pl.FP32], c: pl.InOut[pl.Tensor[[64, 64], pl.FP32]]):
    t = pl.load(a, [0, 0], [64, 64])
    c = pl.store(t, [0, 0], c)
    return c


@pl.jit.graph
def layer(a: pl.Tensor[[64, 64], pl.FP32], c: pl.InOut[pl.Tensor[[64, 64], pl.FP32]]):
    tmp = pl.create_tensor([64, 64], dtype=pl.FP32)
    tmp = bump(a, tmp)
    c = bump(tmp, c)
    return c


@pl.jit
def main(a: pl.Tensor[[64, 64], pl.FP32], c: pl.InOut[pl.Tensor[[64, 64], pl.FP32]]):
    c = layer(a, c)
    return c
"""


@rules("G2", "G3")
def test_cK14_jit_graphs_follow_the_same_rules_and_the_target() -> None:
    program = analysed(JIT)
    assert program.refusals == [] and program.appended() == ["tmp: inout"] and program.violations == ()
    other = analysed(JIT, target="tensormap_and_ringbuffer")
    assert other.codes == ["PTO401"]


@rules("C3", "C4", "C9", "C10")
def test_launch_statements_keep_everything_but_their_arguments() -> None:
    main = (
        "@ORCH\ndef main(self, a: T, c: pl.InOut[T], n: IDX) -> T:\n"
        "    c, t = pl.submit(self.layer, a, c, n, allow_early_resolve=True)\n    return c\n"
    )
    program = analysed(program_of(layer("base = idx * 8\nc = self.shift(a, c, base)\nreturn c", "idx: IDX"), main))
    body = program.legal.functions["main"].body or ()
    before, launch = body[0], body[1]
    assert isinstance(before, Assign) and before.target.name == "base__graph_arg0"
    assert isinstance(launch, Unpack) and isinstance(launch.value, Submit)
    assert launch.value.options.allow_early_resolve is True
    assert len(launch.value.args) == 4


def test_cK09_one_launch_is_one_node_with_the_arguments_of_the_call() -> None:
    program = analysed(program_of(layer(BUMP)))
    simulation = simulate(program.legal, "main")
    (definition,) = simulation.definitions
    assert [node.kernel for node in definition.nodes] == ["bump"]
    assert simulation.problems == () and simulation.equal


def test_cK11_a_second_run_with_other_inputs_is_right() -> None:
    body = (
        "base = idx * 128\nv = pl.slice(w, [128, 128], [base, 0])\nc = self.mix(a, v, c)\n"
        "c = self.shift(a, c, base)\nreturn c"
    )
    main = (
        "@ORCH\ndef main(self, a: T, c: pl.InOut[T], w: W, n: IDX) -> T:\n"
        "    c = self.layer(a, c, w, n)\n    return c\n"
    )
    program = analysed(program_of(layer(body, W_IDX), main))
    legal = simulate(program.legal, "main", [{"n": 0}, {"n": 1}, {"n": 3}])
    assert len(legal.calls) == 3 and legal.equal and legal.problems == ()
    assert not simulate(program.program, "main", [{"n": 0}, {"n": 1}, {"n": 3}]).equal


@rules("D10", "N1")
def test_cK16_a_collective_is_one_node_and_hands_its_tensor_back() -> None:
    distributed = "pld.DistributedTensor[[128, 128], pl.FP32]"
    body = "x = pld.tensor.allreduce(x, s)\nv = pl.slice(x, [64, 128], [idx, 0])\nc = self.bump(a, c)\nreturn c"
    source = program_of(layer(body, f"x: pl.InOut[{distributed}], s: pl.InOut[{distributed}], idx: IDX"))
    program = analysed(
        source.replace(
            "import pypto.language as pl", "import pypto.language as pl\nimport pypto.language.distributed as pld", 1
        )
    )
    assert program.refusals == [] and program.graph().nodes == 2 and program.violations == ()
    assert program.appended() == ["v: inout"]
