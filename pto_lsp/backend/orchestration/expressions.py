"""Host expressions and descriptors: everything of a function's body that starts no task and steers nothing."""

from __future__ import annotations

from collections.abc import Mapping

from pto_lsp.analysis.ir.expressions import Const, DType, Expr, Item, ListExpr, Op, TupleExpr, Var
from pto_lsp.analysis.ir.types import ScalarType, TensorType
from pto_lsp.analysis.replay.dtypes import runtime_name
from pto_lsp.backend.orchestration.errors import Consequence, NotEmitted, surface_name
from pto_lsp.backend.orchestration.scalars import ScalarExpressions, bare, cpp_type, dtype_of
from pto_lsp.backend.orchestration.text import Lines, Names
from pto_lsp.backend.orchestration.values import FAILED, NO_TASK, ArrayText, HostText, NumberText, TaskText, TensorText

_QUERIES = {
    "system.available_cluster_count": "rt_available_cluster_count()",
    "system.available_aic_count": "rt_available_aic_count()",
    "system.available_aiv_count": "rt_available_aiv_count()",
}


class ExpressionEmitter:
    """``env`` holds the names of one function, ``symbols`` what the dynamic dimensions of spliced functions are."""

    def __init__(self, symbols: Mapping[str, Expr]) -> None:
        self._symbols = symbols
        self.lines = Lines()
        self.names = Names()
        self.env: dict[str, HostText] = {}
        self.scalars = ScalarExpressions(self._number_of, self._operator)

    def value(self, expr: Expr, label: str = "value") -> HostText:
        """``label`` is what a new variable is called."""
        if isinstance(expr, Var):
            if expr.name not in self.env:
                raise NotEmitted(f"'{expr.label}', which has no value here")
            found = self.env[expr.name]
            if found is FAILED:
                raise Consequence(expr.label)
            return found
        if isinstance(expr, Const) and expr.value is None:
            return NO_TASK
        if isinstance(expr, (ListExpr, TupleExpr)):
            return tuple([self.value(item, label) for item in expr.items])
        if isinstance(expr, Item):
            base = self.value(expr.base, label)
            if isinstance(base, tuple) and -len(base) <= expr.index < len(base):
                return base[expr.index]
            raise NotEmitted("an element of this tuple")
        if isinstance(expr, Op):
            descriptor = self._descriptor(expr, label)
            if descriptor is not None:
                return descriptor
        return NumberText(self.scalars.text(expr))

    def tensor(self, expr: Expr, label: str = "view") -> TensorText:
        found = self.value(expr, label)
        if not isinstance(found, TensorText):
            raise NotEmitted("something that is not a tensor, in the place of one")
        return found

    def extents(self, expr: Expr) -> list[str]:
        """The elements of a list as ``uint32_t``."""
        if not isinstance(expr, (ListExpr, TupleExpr)):
            raise NotEmitted("a shape that is not a list")
        return [self.extent(item) for item in expr.items]

    def extent(self, expr: Expr) -> str:
        if isinstance(expr, Const) and isinstance(expr.value, int) and expr.value >= 0:
            return str(expr.value)
        return f"static_cast<uint32_t>({bare(self.scalars.text(expr))})"

    def array(self, wish: str, items: list[str]) -> str:
        """A local array of ``uint32_t``; its name."""
        name = self.names.fresh(wish)
        self.lines.declare(name, f"const uint32_t {name}[] = {{{', '.join(items)}}};")
        return name

    def assign(self, target: Var, value: HostText) -> None:
        """Bind a name; a computed number gets a variable of the author's name."""
        if isinstance(value, NumberText) and not value.slot and not value.text.isidentifier():
            dtype = target.type.dtype if isinstance(target.type, ScalarType) else ""
            kind = cpp_type(dtype or "INDEX")
            name = self.names.fresh(target.label)
            self.lines.declare(name, f"const {kind} {name} = {bare(value.text)};")
            value = NumberText(name)
        self.env[target.name] = value

    def create_info(self, op: Op, label: str) -> str:
        """The name of a local ``TensorCreateInfo``."""
        dtype, manual = "", False
        for keyword in op.keywords:
            if keyword.name == "dtype" and isinstance(keyword.value, DType):
                dtype = keyword.value.name
            elif keyword.name == "manual_dep" and isinstance(keyword.value, Const):
                manual = bool(keyword.value.value)
            elif keyword.name in ("init_value", "value") and not _is_nothing(keyword.value):
                raise NotEmitted("an initial value of a buffer (this runtime has none)")
        if len(op.args) > 1 and isinstance(op.args[1], DType):
            dtype = op.args[1].name
        return self.info(label, self.extents(op.args[0]), dtype, manual)

    def info(self, label: str, extents: list[str], dtype: str, manual: bool = False) -> str:
        shape = self.array(f"{label}_shape", extents)
        name = self.names.fresh(f"{label}_info")
        kind = data_type(dtype)
        rest = ", true" if manual else ""
        self.lines.declare(name, f"TensorCreateInfo {name}({shape}, {len(extents)}, {kind}{rest});")
        return name

    def _number_of(self, var: Var) -> str:
        found = self.env.get(var.name)
        if found is FAILED:
            raise Consequence(var.label)
        if found is None and var.name == symbol_name(var.label):
            if var.label in self._symbols:
                return self.scalars.text(self._symbols[var.label])
            raise NotEmitted(f"the dynamic dimension '{var.label}', whose extent no tensor here says")
        if not isinstance(found, NumberText):
            raise NotEmitted(f"'{var.label}', which is no number here")
        return found.text

    def _descriptor(self, op: Op, label: str) -> HostText | None:
        """Tensors, task ids and arrays; None where the operator yields a number."""
        name = op.name
        if name == "tensor.slice" or (name == "tensor.view" and len(op.args) > 2):
            return self._slice(op, label)
        if name in ("tensor.reshape", "tensor.view"):
            source = self.tensor(op.args[0])
            shape = self.extents(op.args[1])
            view = self.names.fresh(label)
            sizes = self.array(f"{view}_shape", shape)
            self.lines.declare(view, f"const ChipTensor {view} = {source.text}.reshape({sizes}, {len(shape)});")
            return TensorText(view, source.exact)
        if name == "tensor.transpose":
            source = self.tensor(op.args[0])
            axes = ", ".join(self._axis(axis, source) for axis in op.args[1:3])
            view = self.names.fresh(label)
            self.lines.declare(view, f"const ChipTensor {view} = {source.text}.transpose({axes});")
            return TensorText(view)
        if name == "tensor.write":
            return self._write(op)
        if name == "tensor.assemble":
            raise NotEmitted(f"'{surface_name(name)}' in host code", None, surface_name(name))
        if name == "array.create":
            return self._array(op, label)
        if name in ("array.get_element", "array.update_element"):
            return self._element(op)
        return NO_TASK if name == "system.task_invalid" else None

    def _slice(self, op: Op, label: str) -> TensorText:
        source = self.tensor(op.args[0])
        view = self.names.fresh(label)
        sizes = self.array(f"{view}_shape", self.extents(op.args[1]))
        offsets = self.array(f"{view}_offset", self.extents(op.args[2]))
        exact = source.exact and _fits(op)
        if exact:
            text = f"{source.text}.view({sizes}, {offsets})"
        else:
            text = f"window({source.text}, {sizes}, {offsets})"
        dropped = next((keyword.value for keyword in op.keywords if keyword.name == "drop"), ListExpr(()))
        if isinstance(dropped, ListExpr) and dropped.items:
            mask = sum(
                1 << axis.value for axis in dropped.items if isinstance(axis, Const) and isinstance(axis.value, int)
            )
            text, exact = f"without_axes({text}, {mask:#x})", False
        self.lines.declare(view, f"const ChipTensor {view} = {text};")
        return TensorText(view, exact)

    def _axis(self, axis: Expr, source: TensorText) -> str:
        """Negative axes count from the last one."""
        if isinstance(axis, Const) and isinstance(axis.value, int) and axis.value < 0:
            return f"{source.text}.ndims - {-axis.value}"
        return self.extent(axis)

    def _write(self, op: Op) -> TensorText:
        """The host's copy of an element, before any task runs."""
        target = self.tensor(op.args[0])
        type_ = op.args[0].type if isinstance(op.args[0], (Var, Op)) else None
        kind = cpp_type(type_.dtype if isinstance(type_, TensorType) else "")
        value = bare(self.scalars.text(op.args[2]))
        index = self.extents(op.args[1])
        name = self.array("index", index)
        self.lines.add(f"set_tensor_data<{kind}>({target.text}, {len(index)}, {name}, static_cast<{kind}>({value}));")
        return target

    def _array(self, op: Op, label: str) -> ArrayText:
        extent = op.args[0] if op.args else None
        if not isinstance(extent, Const) or not isinstance(extent.value, int) or extent.value < 1:
            raise NotEmitted("an array whose extent is not a constant")
        name = self.names.fresh(label)
        self.lines.declare(name, f"std::array<PTO2TaskId, {extent.value}> {name};")
        self.lines.add(f"{name}.fill(PTO2TaskId::invalid());")
        return ArrayText(name, extent.value)

    def _element(self, op: Op) -> HostText:
        array = self.value(op.args[0])
        if not isinstance(array, ArrayText):
            raise NotEmitted("an element of something that is no array")
        place = f"{array.text}.at({bare(self.scalars.text(op.args[1]))})"
        if op.name == "array.get_element":
            return TaskText(place, False)
        value = self.value(op.args[2])
        if not isinstance(value, TaskText):
            raise NotEmitted("an array element that is no task id")
        self.lines.add(f"{place} = {value.text};")
        return array

    def _operator(self, op: Op) -> str:
        if op.name in _QUERIES:
            return f"int64_t({_QUERIES[op.name]})"
        if op.name == "tensor.dim":
            source = self.tensor(op.args[0])
            return f"int64_t({source.text}.shapes[{self._axis(op.args[1], source)}])"
        if op.name == "tensor.read":
            source = self.tensor(op.args[0])
            index = self.extents(op.args[1])
            name = self.array("index", index)
            return f"get_tensor_data<{cpp_type(dtype_of(op))}>({source.text}, {len(index)}, {name})"
        if op.name == "system.task_is_valid":
            task = self.value(op.args[0])
            if isinstance(task, TaskText):
                return f"{task.text}.is_valid()"
        raise NotEmitted(f"'{surface_name(op.name)}' in host code", None, surface_name(op.name))


def symbol_name(label: str) -> str:
    """The name under which a dynamic dimension stands among those of a function."""
    return f"symbol {label}"


def data_type(dtype: str) -> str:
    if not dtype:
        raise NotEmitted("a buffer of unknown type")
    return f"DataType::{runtime_name(dtype)}"


def _is_nothing(expr: Expr) -> bool:
    return isinstance(expr, Const) and expr.value is None


def _fits(op: Op) -> bool:
    """A window of constants inside a tensor of known shape needs no clamping."""
    source, sizes, offsets = op.args[:3]
    shape = source.type.shape if isinstance(source, (Var, Op)) and isinstance(source.type, TensorType) else None
    if shape is None or not isinstance(sizes, ListExpr) or not isinstance(offsets, ListExpr):
        return False
    if not len(shape) == len(sizes.items) == len(offsets.items):
        return False
    for extent, size, offset in zip(shape, sizes.items, offsets.items):
        values = [each.value if isinstance(each, Const) else None for each in (extent, size, offset)]
        numbers = [value for value in values if isinstance(value, int)]
        if len(numbers) < 3 or numbers[1] + numbers[2] > numbers[0]:
            return False
    return True
