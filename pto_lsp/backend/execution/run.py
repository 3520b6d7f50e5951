"""One run of a program: arguments, tasks in some legal order, results."""

from __future__ import annotations

import operator
import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Union

import numpy as np

from pto_lsp.analysis.ir.expressions import Symbol
from pto_lsp.analysis.ir.place import place
from pto_lsp.analysis.ir.program import Direction, Function, Param, Program
from pto_lsp.analysis.ir.types import ScalarType, TensorType
from pto_lsp.analysis.replay.dtypes import is_float
from pto_lsp.analysis.replay.evaluate import Evaluator
from pto_lsp.analysis.replay.launches import Predicate
from pto_lsp.analysis.replay.values import Tensor, Value, dense
from pto_lsp.backend.execution.errors import NotExecutable
from pto_lsp.backend.execution.kernel import BlockPosition, KernelValue, run_kernel
from pto_lsp.backend.execution.memory import Memory
from pto_lsp.backend.execution.tasks import Task, TaskBuilder, Work
from pto_lsp.backend.execution.values import Array, Operand, converted, in_memory, undefined


@dataclass(frozen=True, slots=True)
class Shaped:
    """What is known of an argument that the program declares as a bare ``pl.Tensor``."""

    dtype: str
    shape: tuple[int, ...]


Given = Mapping[str, Union[Array, Shaped, int, float, bool]]
_COMPARISONS: dict[str, Callable[[int | float, int | float], bool]] = {
    "==": operator.eq,
    "!=": operator.ne,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}
_LARGEST_RANDOM_INTEGER = 4
"""Random integers are below this: they are indices more often than not."""


@dataclass(frozen=True, slots=True)
class Arguments:
    """Arrays and scalars of one run by parameter, complete, and the extents of dynamic dimensions."""

    values: dict[str, Array | int | float | bool]
    dtypes: dict[str, str]
    symbols: dict[str, int]


@dataclass(frozen=True, slots=True)
class Result:
    """``tensors``: every tensor parameter after the run. ``tasks`` counts kernel launches, those of Graphs included."""

    tensors: dict[str, Array]
    tasks: int


def arguments_for(entry: Function, given: Given, symbols: Mapping[str, int], seed: int) -> Arguments:
    """Complete ``given`` for ``entry``: random data for what is read, nothing but undefined memory for Out parameters.

    Dynamic extents that ``symbols`` leaves open follow from the arrays given. Raises `NotExecutable` when an argument
    is missing or does not fit.
    """
    unknown = [name for name in given if entry.param_index(name) is None]
    if unknown:
        raise NotExecutable(f"'{entry.name}' has no parameter '{unknown[0]}'")
    extents = dict(symbols)
    for param in entry.params:
        array = given.get(param.name)
        if (
            isinstance(array, (np.ndarray, Shaped))
            and isinstance(param.type, TensorType)
            and param.type.shape is not None
        ):
            for extent, size in zip(param.type.shape, array.shape):
                if isinstance(extent, Symbol):
                    extents.setdefault(extent.name, size)
    generator = np.random.default_rng(seed)
    found = Arguments({}, {}, extents)
    for param in entry.params:
        if isinstance(param.type, ScalarType):
            found.values[param.name] = _scalar(param, given)
        else:
            found.values[param.name], found.dtypes[param.name] = _tensor(param, given, extents, generator)
    return found


def run(program: Program, entry: Function, arguments: Arguments, order: int | None = None) -> Result:
    """Execute ``entry``, in submission order or in the random legal order number ``order``."""
    memory = Memory()
    tensors: dict[str, Tensor] = {}
    values: list[Value] = []
    for param in entry.params:
        value = arguments.values[param.name]
        if isinstance(value, np.ndarray):
            tensor = dense(param.name, value.shape, arguments.dtypes[param.name])
            memory.put(tensor, value)
            tensors[param.name] = tensor
            values.append(tensor)
        else:
            values.append(value)
    tasks = TaskBuilder(program, memory, arguments.symbols).build(entry, tuple(values))
    for index in legal_order(tasks, order):
        work = tasks[index].work
        if work is not None:
            _execute(program, work, memory, arguments.symbols)
    after = {name: memory.view(tensor).copy() for name, tensor in tensors.items()}
    return Result(after, sum(task.work is not None for task in tasks))


def legal_order(tasks: Sequence[Task], order: int | None) -> list[int]:
    """Indices of ``tasks`` such that none comes before what it waits for; None is the order of submission."""
    if order is None:
        return list(range(len(tasks)))
    choose = random.Random(order)
    missing = [len(set(task.waits)) for task in tasks]
    waiting: list[list[int]] = [[] for _ in tasks]
    for index, task in enumerate(tasks):
        for producer in set(task.waits):
            waiting[producer].append(index)
    ready = [index for index, count in enumerate(missing) if not count]
    found: list[int] = []
    while ready:
        position = choose.randrange(len(ready))
        ready[position], ready[-1] = ready[-1], ready[position]
        index = ready.pop()
        found.append(index)
        for follower in waiting[index]:
            missing[follower] -= 1
            if not missing[follower]:
                ready.append(follower)
    return found


def _scalar(param: Param, given: Given) -> int | float | bool:
    value = given.get(param.name)
    if value is None:
        raise NotExecutable(f"scalar parameter '{param.name}' has no value", place(param.at, param.name_span))
    if isinstance(value, Shaped) or (isinstance(value, np.ndarray) and value.ndim):
        raise NotExecutable(f"'{param.name}' is a scalar, an array is given", place(param.at, param.name_span))
    if isinstance(value, np.ndarray):
        number: int | float | bool = value.item()
        return number
    return value


def _tensor(
    param: Param, given: Given, extents: Mapping[str, int], generator: np.random.Generator
) -> tuple[Array, str]:
    where = place(param.at, param.name_span)
    if not isinstance(param.type, TensorType):
        raise NotExecutable(f"the type of parameter '{param.name}' is not known", where)
    array, dtype = given.get(param.name), param.type.dtype
    if isinstance(array, (int, float)):
        raise NotExecutable(f"'{param.name}' is a tensor, a number is given", where)
    shape = _shape(param.type, extents)
    if shape is not None and array is not None and shape != array.shape:
        raise NotExecutable(f"'{param.name}' is {list(shape)}, an array {list(array.shape)} is given", where)
    if isinstance(array, Shaped):
        if dtype and dtype != array.dtype:
            raise NotExecutable(f"'{param.name}' holds {dtype}, an array of {array.dtype} is given", where)
        shape, dtype, array = array.shape, array.dtype, None
    if array is None:
        if shape is None or not dtype:
            hint = f"give them, for example --arg '{param.name}={dtype or 'FP32'}[128, 128]', or an array with --input"
            raise NotExecutable(f"nothing says the type and shape of '{param.name}': {hint}", where)
        return (
            undefined(shape, dtype) if param.direction is Direction.OUT else _random(shape, dtype, generator)
        ), dtype
    dtype = dtype or dtype_name(array)
    if not dtype:
        raise NotExecutable(f"arrays of numpy's {array.dtype} are not executed", where)
    return converted(array, dtype), dtype


def _shape(type_: TensorType, extents: Mapping[str, int]) -> tuple[int, ...] | None:
    if type_.shape is None:
        return None
    evaluator = Evaluator(extents, lambda buffer, element: 0)
    values = [evaluator.value(extent) for extent in type_.shape]
    known = tuple([value for value in values if isinstance(value, int)])
    return known if len(known) == len(values) else None


def _random(shape: tuple[int, ...], dtype: str, generator: np.random.Generator) -> Array:
    if is_float(dtype):
        return converted(generator.uniform(-1.0, 1.0, shape), dtype)
    return converted(generator.integers(0, 2 if dtype == "BOOL" else _LARGEST_RANDOM_INTEGER, shape), dtype)


def dtype_name(array: Array) -> str:
    """PyPTO's name of what ``array`` holds; "" for what is not executed."""
    names = {"float32": "FP32", "float16": "FP16", "bool": "BOOL"}
    name = array.dtype.name
    return names.get(name, name.upper() if name.startswith(("int", "uint")) else "")


def _execute(program: Program, work: Work, memory: Memory, symbols: Mapping[str, int]) -> None:
    launch = work.launch
    if launch.predicate is not None and not _holds(launch.predicate, memory):
        return
    if launch.core_num is not None and not isinstance(launch.core_num, int):
        raise NotExecutable(f"the number of blocks of '{work.kernel.name}' is not known")
    count = 1 if launch.core_num is None else launch.core_num
    arguments: list[KernelValue] = []
    for value in work.arguments:
        if isinstance(value, Tensor):
            arguments.append(in_memory(memory.view(value), value.dtype))
        elif isinstance(value, (int, float)):
            arguments.append(value)
        else:
            raise NotExecutable(f"an argument of '{work.kernel.name}' is neither a tensor nor a number")
    for index in range(count):
        position = BlockPosition(index, count)
        returned = run_kernel(program, work.kernel, tuple(arguments), position, symbols)
        for result, target in work.results:
            computed = returned[result]
            assert isinstance(computed, Operand)
            memory.view(target)[...] = converted(computed.array, target.dtype)


def _holds(predicate: Predicate, memory: Memory) -> bool:
    tensor, target = predicate.tensor, predicate.target
    index = tuple([each for each in predicate.index if isinstance(each, int)])
    if not isinstance(tensor, Tensor) or not isinstance(target, (int, float)) or len(index) != len(tensor.shape):
        raise NotExecutable(f"the predicate over '{predicate.label}' is not known")
    return _COMPARISONS[predicate.op](memory.view(tensor)[index].item(), target)
