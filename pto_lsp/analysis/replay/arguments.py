"""From a call expression to the arguments that the runtime sees."""

from __future__ import annotations

from typing import Union

from pto_lsp.analysis.ir.expressions import Binary, Call, Expr, Op, Submit, Var
from pto_lsp.analysis.ir.program import Direction, Function, Param
from pto_lsp.analysis.ir.types import ScalarType, TensorType
from pto_lsp.analysis.passes.derive_call_directions import CallDirection, Directions
from pto_lsp.analysis.replay.boundary import Boundary
from pto_lsp.analysis.replay.execute import Frame
from pto_lsp.analysis.replay.labels import label_of
from pto_lsp.analysis.replay.launches import Launch, NewTensor, Predicate, ScalarArg, TensorArg
from pto_lsp.analysis.replay.tensor_map import Tag
from pto_lsp.analysis.replay.values import UNKNOWN, Scalar, TaskId, Tensor, Value

_TAG = {Direction.IN: Tag.INPUT, Direction.OUT: Tag.OUTPUT_EXISTING, Direction.INOUT: Tag.INOUT}
_MIRRORED = {"<": ">", ">": "<", "<=": ">=", ">=": "<="}

_DERIVED = {
    CallDirection.INPUT: Tag.INPUT,
    CallDirection.OUTPUT: Tag.OUTPUT,
    CallDirection.OUTPUT_EXISTING: Tag.OUTPUT_EXISTING,
    CallDirection.INOUT: Tag.INOUT,
    CallDirection.NO_DEP: Tag.NO_DEP,
}


def scalar_of(value: Value) -> Scalar:
    return value if isinstance(value, (int, float)) else UNKNOWN


def launch_of(
    frame: Frame, callee: Function, expr: Union[Call, Submit], derived: Directions
) -> tuple[Launch, list[Value]]:
    """The launch of a kernel and the values of the arguments written, by parameter position.

    ``derived`` are the directions of this launch, by argument position. An Out parameter without an argument is memory
    that the runtime makes (semantics.md 1.15).
    """
    values = [frame.value(arg) for arg in expr.args]
    tensors: list[TensorArg] = []
    scalars: list[ScalarArg] = []
    for index, param in enumerate(callee.params):
        if index >= len(values):
            made = _made(frame, param)
            if made is not None:
                tensors.append(made)
            continue
        arg = expr.args[index]
        if is_scalar_argument(param, values[index]):
            slot = frame.slots.get(arg.name) if isinstance(arg, Var) else None
            scalars.append(ScalarArg(scalar_of(values[index]), slot, label_of(arg)))
            continue
        value = values[index]
        known = _DERIVED.get(derived[index].direction) if index < len(derived) else None
        tag = known or _TAG[param.direction]
        tensors.append(TensorArg(value if isinstance(value, Tensor) else UNKNOWN, tag, label_of(arg)))
    options = expr.options
    launch = Launch(
        callee.task_name,
        tuple(tensors),
        tuple(scalars),
        frame.task_ids(options.deps) if options.deps else (),
        None if options.core_num is None else scalar_of(frame.value(options.core_num)),
        None if options.predicate is None else _predicate(frame, options.predicate),
        frame.manual,
    )
    return launch, values


def boundary_with(graph: Function, values: tuple[Value, ...]) -> Boundary:
    """The boundary of a call of ``graph`` with ``values``, tensors and scalars counted apart.

    A Graph's Out parameter is an output of the runtime's own, whatever is passed for it (rules.md D2).
    """
    tensors: list[TensorArg] = []
    scalars: list[Scalar] = []
    labels: list[str] = []
    for param, value in zip(graph.params, values):
        if is_scalar_argument(param, value):
            scalars.append(scalar_of(value))
            labels.append(param.name)
        else:
            tag = Tag.OUTPUT if param.direction is Direction.OUT else _TAG[param.direction]
            tensors.append(TensorArg(value if isinstance(value, Tensor) else UNKNOWN, tag, param.name))
    return Boundary(tuple(tensors), tuple(scalars), tuple(labels))


def is_scalar_argument(param: Param, value: Value) -> bool:
    if isinstance(param.type, ScalarType):
        return True
    return not isinstance(param.type, TensorType) and isinstance(value, (int, float))


def _made(frame: Frame, param: Param) -> TensorArg | None:
    if param.direction is not Direction.OUT or not isinstance(param.type, TensorType):
        return None
    shape: list[int] = []
    for extent in param.type.shape or ():
        value = frame.value(extent)
        if not isinstance(value, int):
            return TensorArg(UNKNOWN, Tag.OUTPUT, param.name)
        shape.append(value)
    if param.type.shape is None:
        return TensorArg(UNKNOWN, Tag.OUTPUT, param.name)
    return TensorArg(NewTensor(param.name, tuple(shape), param.type.dtype), Tag.OUTPUT, param.name)


def _predicate(frame: Frame, expr: Expr) -> Predicate | None:
    """One comparison of a tensor element with a literal, in either order (semantics.md 11.2)."""
    if not isinstance(expr, Binary):
        return None
    read, other, op = expr.left, expr.right, expr.op
    if not (isinstance(read, Op) and read.name == "tensor.read"):
        read, other, op = expr.right, expr.left, _MIRRORED.get(expr.op, expr.op)
    if not (isinstance(read, Op) and read.name == "tensor.read" and len(read.args) == 2):
        return None
    tensor = frame.value(read.args[0])
    index = frame.value(read.args[1])
    positions = tuple([scalar_of(each) for each in index]) if isinstance(index, tuple) else ()
    return Predicate(
        tensor if isinstance(tensor, Tensor) else UNKNOWN,
        positions,
        op,
        scalar_of(frame.value(other)),
        label_of(read.args[0]),
    )


def results_of(
    returned: tuple[int | None, ...], values: list[Value], callee: Function, outputs: tuple[Tensor, ...]
) -> tuple[Value, ...]:
    """Results of a call: the argument a result stands for, or the memory made for an argument left out."""
    made = iter(outputs)
    by_param: dict[int, Value] = {
        index: next(made, UNKNOWN)
        for index, param in enumerate(callee.params)
        if index >= len(values) and param.direction is Direction.OUT and isinstance(param.type, TensorType)
    }
    found: list[Value] = []
    for index in returned:
        if index is None:
            found.append(UNKNOWN)
        elif index < len(values):
            found.append(values[index])
        else:
            found.append(by_param.get(index, UNKNOWN))
    return tuple(found)


def with_task(results: tuple[Value, ...], task: TaskId | None, expr: Union[Call, Submit]) -> tuple[Value, ...]:
    return (*results, task) if isinstance(expr, Submit) else results
