"""Parameters and statements of a kernel in tile code; loops and branches are in ``control``."""

from __future__ import annotations

from pto_lsp.analysis.ir.expressions import (
    Call,
    Const,
    Expr,
    Op,
    Submit,
    Symbol,
    Var,
)
from pto_lsp.analysis.ir.place import place
from pto_lsp.analysis.ir.program import Function, Program
from pto_lsp.analysis.ir.statements import (
    Assign,
    Block,
    Evaluate,
    For,
    If,
    Return,
    Scope,
    Stmt,
    Unpack,
    While,
)
from pto_lsp.analysis.ir.types import ScalarType, TensorType
from pto_lsp.backend.kernels.control import ControlLowering, Locate
from pto_lsp.backend.kernels.dtypes import memory_element
from pto_lsp.backend.kernels.frame import Frame
from pto_lsp.backend.kernels.memory import load
from pto_lsp.backend.kernels.scalars import scalar_type
from pto_lsp.backend.kernels.tiles import Extent
from pto_lsp.backend.kernels.uses import short_name
from pto_lsp.backend.kernels.values import Axis, KernelText, Number, Tensor, View
from pto_lsp.backend.orchestration.errors import NotEmitted
from pto_lsp.backend.orchestration.scalars import bare


class KernelLowering(ControlLowering):
    """One activation of a kernel. A kernel that it calls is written in its place, by a lowering of its own."""

    def __init__(self, program: Program, function: Function, frame: Frame, locate: Locate) -> None:
        super().__init__(function, frame, locate)
        self._program = program

    # -- parameters ----------------------------------------------------------------------------------------------

    def parameters(self, function: Function) -> None:
        """Tensors come first among the arguments, then scalars."""
        tensors = [param for param in function.params if isinstance(param.type, TensorType)]
        position = len(tensors)
        for param in function.params:
            if isinstance(param.type, TensorType):
                try:
                    kind = memory_element(param.type.dtype)
                except NotEmitted as fault:
                    raise NotEmitted(f"parameter '{param.name}': {fault}", place(param.at, param.name_span)) from None
                self._tensor_parameter(param.name, param.type, kind, tensors.index(param))
            elif isinstance(param.type, ScalarType) and not param.type.is_task_id:
                scalar = scalar_type(param.type.dtype)
                name = self.frame.names.fresh(param.name)
                self.declare(
                    name, f"const {scalar} {name} = from_u64<{scalar}>(static_cast<uint64_t>(args[{position}]));"
                )
                self.env[param.name] = Number(name, param.type.dtype)
                position += 1
            else:
                raise NotEmitted(
                    f"parameter '{param.name}': neither a tensor nor a number", place(param.at, param.name_span)
                )

    def _tensor_parameter(self, label: str, type_: TensorType, kind: str, position: int) -> None:
        name = self.frame.names.fresh(label)
        descriptor = self.frame.names.fresh(f"{name}_tensor")
        self.declare(
            descriptor, f"__gm__ ChipTensor *{descriptor} = reinterpret_cast<__gm__ ChipTensor *>(args[{position}]);"
        )
        self.declare(
            name,
            f"__gm__ {kind} *{name} = reinterpret_cast<__gm__ {kind} *>({descriptor}->buffer.addr)"
            f" + {descriptor}->start_offset;",
        )
        if type_.shape is None:
            raise NotEmitted(f"parameter '{label}', whose shape is not known,")
        axes: list[Axis] = []
        for axis, extent in enumerate(type_.shape):
            known: Extent = extent.value if isinstance(extent, Const) and isinstance(extent.value, int) else ""
            if known == "":
                known = self._described(f"{name}_extent{axis}", f"{descriptor}->shapes[{axis}]")
                if isinstance(extent, Symbol):
                    self.env.setdefault(f"symbol {extent.name}", Number(known, "INDEX"))
            last = axis == len(type_.shape) - 1
            stride = 1 if last else self._described(f"{name}_stride{axis}", f"{descriptor}->strides[{axis}]")
            axes.append(Axis(known, stride))
        view = View(name, name, tuple(axes), type_.dtype)
        self.env[label] = Tensor(tuple([axis.extent for axis in axes]), type_.dtype, None, view)

    def _described(self, wish: str, text: str) -> str:
        """A number from a tensor's descriptor under a name."""
        return self.named(text, wish)

    # -- statements ----------------------------------------------------------------------------------------------

    def block(self, block: Block) -> tuple[KernelText, ...]:
        """Write the statements; the values returned at their end."""
        for position, stmt in enumerate(block):
            self.anchor, self.within = stmt.at, False
            self.frame.at = place(stmt.at, stmt.span)
            try:
                if isinstance(stmt, Return):
                    if position < len(block) - 1:
                        raise NotEmitted("a return that is not at the end")
                    return tuple([self.value(value) for value in stmt.values])
                self._statement(stmt)
            except NotEmitted as fault:
                if fault.place is None:
                    fault.place = place(stmt.at, stmt.span)
                raise
        return ()

    def _statement(self, stmt: Stmt) -> None:
        if isinstance(stmt, (Assign, Unpack, Evaluate)):
            self.say(stmt)
        if isinstance(stmt, Assign):
            self._assign(stmt)
        elif isinstance(stmt, Unpack):
            values = self.value(stmt.value)
            if not isinstance(values, tuple) or len(values) != len(stmt.targets):
                raise NotEmitted(f"{len(stmt.targets)} results of this")
            for target, value in zip(stmt.targets, values):
                self.env[target.name] = value
        elif isinstance(stmt, Evaluate):
            self.frame.label = "value"
            self.value(stmt.value)
        elif isinstance(stmt, For):
            self.for_(stmt)
        elif isinstance(stmt, While):
            self.while_(stmt)
        elif isinstance(stmt, If):
            self.if_(stmt)
        elif isinstance(stmt, Scope):
            self.block(stmt.body)
        else:
            raise NotEmitted("this statement in a kernel")

    def _assign(self, stmt: Assign) -> None:
        target = stmt.target
        self.frame.label = target.label or "value"
        self.wanted_tile = self.wanted.get(target.name)
        value = self.value(stmt.value)
        self.wanted_tile = None
        if isinstance(value, Tensor) and value.view is not None and value.tile is None and _is_slice(stmt.value):
            if target.name in self.uses.values:
                loaded = load(self.frame, value.view, target.label)
                value = Tensor(value.shape, value.dtype, loaded.tile, value.view, shared=True)
        elif isinstance(value, Number) and value.constant is None and not value.text.isidentifier():
            name = self.frame.names.fresh(target.label)
            self.declare(name, f"const {scalar_type(value.dtype)} {name} = {bare(value.text)};")
            value = Number(name, value.dtype, None, value.multiple)
        elif isinstance(stmt.value, Var) and isinstance(value, Tensor):
            value = Tensor(value.shape, value.dtype, value.tile, value.view, shared=True)
        self.env[target.name] = value

    def call(self, expr: Call | Submit) -> tuple[KernelText, ...]:
        callee = self._program.functions.get(expr.callee)
        if callee is None or callee.body is None:
            raise NotEmitted(f"a call of '{expr.callee}', whose body is not known,")
        inner = KernelLowering(self._program, callee, self.frame, self._locate)
        for param, arg in zip(callee.params, expr.args):
            value = self.value(arg)
            if isinstance(value, Tensor):
                value = Tensor(value.shape, value.dtype, value.tile, value.view, shared=True)
            inner.env[param.name] = value
        results = inner.block(callee.body)
        return (*results, None) if isinstance(expr, Submit) else results


def _is_slice(expr: Expr) -> bool:
    return isinstance(expr, Op) and short_name(expr) == "slice"
