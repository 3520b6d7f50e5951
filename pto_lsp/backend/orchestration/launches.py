"""Submissions in C++: argument containers, attributes and results of every launch form."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Union

from pto_lsp.analysis.ir.expressions import Binary, Call, Const, Expr, ListExpr, Op, Submit, Unary
from pto_lsp.analysis.ir.program import Direction, Function, FunctionKind, Param, Program
from pto_lsp.analysis.ir.types import ScalarType, TensorType
from pto_lsp.analysis.passes.derive_call_directions import CallDirection, Directions, Launch, call_directions
from pto_lsp.analysis.replay.arguments import is_scalar_argument
from pto_lsp.analysis.replay.returns import returned_params
from pto_lsp.backend.orchestration.errors import NotEmitted
from pto_lsp.backend.orchestration.expressions import ExpressionEmitter
from pto_lsp.backend.orchestration.kernels import KernelTable
from pto_lsp.backend.orchestration.scalars import bare, cpp_type, dtype_of, literal
from pto_lsp.backend.orchestration.values import NO_TASK, ArrayText, HostText, NumberText, TaskText, TensorText

_ADD = {
    CallDirection.INPUT: "add_input",
    CallDirection.OUTPUT: "add_output",
    CallDirection.OUTPUT_EXISTING: "add_output",
    CallDirection.INOUT: "add_inout",
    CallDirection.NO_DEP: "add_no_dep",
}
_DECLARED = {Direction.IN: "add_input", Direction.OUT: "add_output", Direction.INOUT: "add_inout"}
_OPERATORS = {"==": "EQ", "!=": "NE", ">": "GT", "<": "LT", ">=": "GE", "<=": "LE"}
_MIRRORED = {"<": ">", ">": "<", "<=": ">=", ">=": "<="}


class LaunchEmitter(ExpressionEmitter):
    """``prefix`` begins the names of a Graph's tasks (rules.md K4)."""

    def __init__(
        self, program: Program, function: Function, kernels: KernelTable, prefix: str, symbols: Mapping[str, Expr]
    ) -> None:
        super().__init__(symbols)
        self.program = program
        self.graphs: dict[str, Function] = {}
        self.graph_names: dict[str, str] = {}
        self._kernels = kernels
        self._prefix = prefix
        self._count = 0
        self._directions: Mapping[Launch, Directions] = call_directions(program, function)

    def launch(self, expr: Union[Call, Submit], label: str) -> tuple[HostText, ...]:
        """Submit; the results, and for a submit the task id last. ``label`` is what the id is called."""
        callee = self.program.functions.get(expr.callee)
        if callee is None:
            raise NotEmitted(f"a call of '{expr.callee}', which is not known")
        if callee.kind is FunctionKind.GRAPH:
            return self._graph(callee, expr, label)
        if not callee.kind.is_kernel:
            raise NotEmitted(f"a call of '{callee.name}', which is neither kernel nor Graph")
        task = self._task()
        values = [self.value(arg, f"{task}_arg") for arg in expr.args]
        args = f"params_{task}"
        outputs = [self._output(param) for param in callee.params[len(values) :]]
        self.lines.add(f"CoreTaskArgs {args};")
        derived = self._directions.get(expr, ())
        scalars: list[str] = []
        for index, param in enumerate(callee.params[: len(values)]):
            value = values[index]
            if isinstance(value, NumberText) and is_scalar_argument(param, 0):
                scalars.append(slot_text(value, expr.args[index], param))
            elif isinstance(value, TensorText):
                known = _ADD.get(derived[index].direction) if index < len(derived) else None
                self.lines.add(f"{args}.{known or _DECLARED[param.direction]}({value.text});")
            else:
                raise NotEmitted(f"argument {index + 1} of '{callee.name}'")
        for info in outputs:
            self.lines.add(f"{args}.add_output({info});")
        self._scalars(args, scalars)
        self._attributes(args, task, expr)
        return self._submitted(callee, expr, task, args, values, bool(outputs), label)

    def dummy(self, op: Op, label: str) -> TaskText:
        """With entries, submitted only when one of them is a task (semantics.md 1.11)."""
        task = self._task()
        args = f"params_{task}"
        entries = next((k.value for k in op.keywords if k.name == "deps"), ListExpr(()))
        items = entries.items if isinstance(entries, ListExpr) else (entries,)
        mark = self.lines.mark()
        self.lines.add(f"CoreTaskArgs {args};")
        certain = True if not items else self._dependencies(args, task, items)
        if certain is None:
            self.lines.cut(mark)
            return NO_TASK
        name = self.names.fresh(label)
        if certain:
            self.lines.add(f"PTO2TaskId {name} = rt_submit_dummy_task({args}).task_id();")
        else:
            self.lines.add(f"PTO2TaskId {name} = PTO2TaskId::invalid();")
            self.lines.add(f"if (deps_{task}_count > 0) {name} = rt_submit_dummy_task({args}).task_id();")
        self.lines.add(f"(void){name};")
        return TaskText(name, certain)

    def _task(self) -> str:
        name = f"{self._prefix}t{self._count}"
        self._count += 1
        return name

    def _output(self, param: Param) -> str:
        if param.direction is not Direction.OUT or not isinstance(param.type, TensorType) or param.type.shape is None:
            raise NotEmitted(f"a call without an argument for '{param.name}'")
        return self.info(param.name, [self.extent(extent) for extent in param.type.shape], param.type.dtype)

    def _scalars(self, args: str, scalars: list[str]) -> None:
        if scalars:
            self.lines.add(f"{args}.add_scalar({', '.join(scalars)});")

    def _attributes(self, args: str, task: str, expr: Union[Call, Submit]) -> None:
        options = expr.options
        if not options.deps_known:
            raise NotEmitted("a list of dependencies that is not known")
        if options.deps:
            self._dependencies(args, task, options.deps)
        if options.core_num is not None:
            blocks = self.scalars.text(options.core_num)
            text = blocks if blocks.isdecimal() else f"static_cast<int16_t>({bare(blocks)})"
            self.lines.add(f"{args}.launch_spec.set_block_num({text});")
        if options.sync_start:
            self.lines.add(f"{args}.launch_spec.set_require_sync_start(true);")
        if options.allow_early_resolve:
            self.lines.add(f"{args}.set_allow_early_resolve();")
        if options.predicate is not None:
            self._predicate(args, task, options.predicate)

    def _dependencies(self, args: str, task: str, exprs: tuple[Expr, ...]) -> bool | None:
        """Only valid ids may be handed over. Whether there is certainly one; None where there is certainly none."""
        ids = [item for expr in exprs for item in _flat(self.value(expr)) if item != NO_TASK]
        capacity = sum(item.extent if isinstance(item, ArrayText) else 1 for item in ids)
        certain = any(isinstance(item, TaskText) and item.valid for item in ids)
        if not ids:
            return None
        deps = f"deps_{task}"
        valid = [item.text for item in ids if isinstance(item, TaskText) and item.valid]
        if len(valid) == len(ids):
            self.lines.add(f"const PTO2TaskId {deps}[] = {{{', '.join(valid)}}};")
            self.lines.add(f"{args}.set_dependencies({deps}, {len(valid)});")
            return True
        self.lines.add(f"PTO2TaskId {deps}[{capacity}];")
        self.lines.add(f"uint32_t {deps}_count = 0;")
        for item in ids:
            if isinstance(item, ArrayText):
                self.lines.add(f"for (PTO2TaskId id : {item.text})")
                self.lines.add(f"    if (id.is_valid()) {deps}[{deps}_count++] = id;")
            elif isinstance(item, TaskText):
                guard = "" if item.valid else f"if ({item.text}.is_valid()) "
                self.lines.add(f"{guard}{deps}[{deps}_count++] = {item.text};")
            else:
                raise NotEmitted("a dependency that is no task id")
        self.lines.add(f"{args}.set_dependencies({deps}, {deps}_count);")
        return certain

    def _predicate(self, args: str, task: str, expr: Expr) -> None:
        if not isinstance(expr, Binary):
            raise NotEmitted("this predicate")
        read, target, op = expr.left, expr.right, expr.op
        if not _is_read(read):
            read, target, op = expr.right, expr.left, _MIRRORED.get(expr.op, expr.op)
        number = _integer(target)
        if not isinstance(read, Op) or not _is_read(read) or number is None or op not in _OPERATORS:
            raise NotEmitted("this predicate")
        tensor = self.tensor(read.args[0])
        index = self.extents(read.args[1])
        gate = f"predicate_{task}"
        self.lines.add(f"CoreTaskPredicate {gate};")
        self.lines.add(f"{gate}.operand.tensor = &{tensor.text};")
        self.lines.add(f"{gate}.operand.ndims = {len(index)};")
        for axis, position in enumerate(index):
            self.lines.add(f"{gate}.operand.indices[{axis}] = {position};")
        self.lines.add(f"{gate}.op = PredicateOp::{_OPERATORS[op]};")
        self.lines.add(f"{gate}.target = {literal(number)};")
        self.lines.add(f"{args}.set_predicate({gate});")

    def _graph_name(self, graph: Function) -> str:
        """rules.md K1; numbered where Graphs of several modules share a name."""
        wish = "pypto_graph_" + "".join(c if c.isascii() and (c.isalnum() or c == "_") else "_" for c in graph.name)
        number, found = 1, wish
        while found in self.graph_names.values():
            number += 1
            found = f"{wish}_{number}"
        return found

    def _submitted(
        self,
        callee: Function,
        expr: Union[Call, Submit],
        task: str,
        args: str,
        values: list[HostText],
        made: bool,
        label: str,
    ) -> tuple[HostText, ...]:
        lanes = self._kernels.lanes(callee)
        if lanes.aic >= 0 and lanes.aiv >= 0:
            submit = f"rt_submit_task(MixedKernels{{{lanes.aic}, {lanes.aiv}, -1}}, {args})"
        elif lanes.aic >= 0:
            submit = f"rt_submit_aic_task({lanes.aic}, {args})"
        else:
            submit = f"rt_submit_aiv_task({lanes.aiv}, {args})"
        results: list[HostText] = []
        if made:
            self.lines.add(f"TaskOutputTensors {task} = {submit};")
            submit = task
        for index in returned_params(callee, self.program):
            if index is None:
                raise NotEmitted(f"a result of '{callee.name}' that is not one of its parameters")
            if index < len(values):
                results.append(values[index])
            else:
                results.append(TensorText(f"{task}.get_ref({index - len(values)})"))
        if isinstance(expr, Submit):
            name = self.names.fresh(label)
            self.lines.add(f"[[maybe_unused]] const PTO2TaskId {name} = {submit}.task_id();")
            results.append(TaskText(name, True))
        elif not made:
            self.lines.add(f"{submit};")
        return tuple(results)

    def _graph(self, graph: Function, expr: Union[Call, Submit], label: str) -> tuple[HostText, ...]:
        self.graphs.setdefault(graph.key, graph)
        name = self.graph_names.setdefault(graph.key, self._graph_name(graph))
        task = self._task()
        values = [self.value(arg, f"{task}_arg") for arg in expr.args]
        args = f"params_{task}"
        self.lines.add(f"GraphTaskArgs {args};")
        scalars: list[str] = []
        for param, value, arg in zip(graph.params, values, expr.args):
            if isinstance(value, NumberText):
                scalars.append(slot_text(value, arg, param))
            elif isinstance(value, TensorText):
                self.lines.add(f"{args}.{_DECLARED[param.direction]}({value.text});")
            else:
                raise NotEmitted(f"an argument of '{graph.name}' that is neither tensor nor number")
        self._scalars(args, scalars)
        submit = f"rt_submit_graph(&{name}, {args})"
        results: list[HostText] = []
        for index in returned_params(graph, self.program):
            if index is None or index >= len(values):
                raise NotEmitted(f"a result of '{graph.name}' that is not one of its parameters")
            results.append(values[index])
        if isinstance(expr, Submit):
            task_id = self.names.fresh(label)
            self.lines.add(f"[[maybe_unused]] const PTO2TaskId {task_id} = {submit}.task_id;")
            # Invalid when the body ran as ordinary tasks.
            results.append(TaskText(task_id, False))
        else:
            self.lines.add(f"{submit};")
        return tuple(results)


def slot_text(value: NumberText, arg: Expr, param: Param) -> str:
    """A scalar as it goes into its slot: the bits of the parameter's type, zero-extended (api.md).

    A boundary scalar is handed on as the slot it is, which is what makes a replay refresh it.
    """
    text = bare(value.text)
    if value.slot:
        return value.slot
    kind = cpp_type(param.type.dtype) if isinstance(param.type, ScalarType) and param.type.dtype else ""
    if not kind or kind == cpp_type(dtype_of(arg) or "INDEX"):
        # A small number is an int in C++, whatever it is here: its sign would not reach the upper half.
        return f"INT64_C({text})" if text.startswith("-") and text[1:].isdecimal() and kind in ("", "int64_t") else text
    if text.isdecimal() and kind not in ("float", "bool"):
        return text
    return f"static_cast<{kind}>({text})"


def _flat(value: HostText) -> list[HostText]:
    return [each for item in value for each in _flat(item)] if isinstance(value, tuple) else [value]


def _is_read(expr: Expr) -> bool:
    return isinstance(expr, Op) and expr.name == "tensor.read" and len(expr.args) == 2


def _integer(expr: Expr) -> int | None:
    if isinstance(expr, Unary) and expr.op == "-":
        inner = _integer(expr.operand)
        return None if inner is None else -inner
    return expr.value if isinstance(expr, Const) and isinstance(expr.value, int) else None
