"""Shapes that a file's own host code shows: ``x = torch.zeros((128, 64))`` and then ``entry(x, …)``.

Nothing is executed. A name counts only when everything its scope assigns to it has one and the same shape.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence

from pto_lsp.backend.shapes.host_names import Scope, assigned, may_be, shown_elements
from pto_lsp.backend.shapes.shape import Shape

_COMPILES = frozenset({"compile", "lower", "run", "prepare"})
"""Methods of an entry that take its arguments."""
_SIZED = frozenset({"zeros", "ones", "empty"})
_DIMENSIONS = frozenset({"rand", "randn"})
_FILLED = frozenset({"full"})
_DRAWN = frozenset({"standard_normal", "random"})
_LIKE = frozenset({"zeros_like", "ones_like", "empty_like", "rand_like", "randn_like", "full_like"})
_SAME = frozenset(
    """
    clone contiguous share_memory_ cuda cpu npu pin_memory copy detach zero_ fill_ normal_ uniform_ random_ abs neg
    requires_grad_ mul_ add_ clamp clamp_
    """.split()
)
_CONVERSIONS = {"half": "FP16", "bfloat16": "BF16", "float": "FP32", "int": "INT32", "long": "INT64", "bool": "BOOL"}
_DTYPES = {
    "float32": "FP32",
    "float": "FP32",
    "single": "FP32",
    "float16": "FP16",
    "half": "FP16",
    "bfloat16": "BF16",
    "bool": "BOOL",
    "bool_": "BOOL",
    "int": "INT32",
    **{f"int{bits}": f"INT{bits}" for bits in (8, 16, 32, 64)},
    **{f"uint{bits}": f"UINT{bits}" for bits in (8, 16, 32, 64)},
}
_DOUBLE = "FP64"
_NUMPY = frozenset({"np", "numpy"})


def evident_shapes(text: str, entry: str, params: Sequence[str], constant: Callable[[str], object]) -> dict[str, Shape]:
    """What the calls of ``entry`` in ``text`` agree about, by parameter. ``constant`` knows the module's names."""
    try:
        module = ast.parse(text)
    except (SyntaxError, ValueError, RecursionError):
        return {}
    found: dict[str, list[Shape | None]] = {}
    for scopes, call in _calls(module, entry):
        reader = _Reader(scopes, constant)
        arguments = dict(zip(params, reader.positional(call)))
        arguments.update(
            {word.arg: word.value for word in call.keywords if word.arg is not None and word.arg in params}
        )
        for name, argument in arguments.items():
            found.setdefault(name, []).append(reader.shape(argument))
    return {
        name: shapes[0]
        for name, shapes in found.items()
        if shapes[0] is not None and shapes[0].dtype != _DOUBLE and all(shape == shapes[0] for shape in shapes)
    }


def evident_numbers(module: ast.Module, function: ast.FunctionDef, constant: Callable[[str], object]) -> dict[str, int]:
    """The whole numbers that all calls of ``function``, a function of ``module``, agree about, by parameter."""
    outside = _Reader((module,), constant)
    arguments = function.args
    positional = [*arguments.posonlyargs, *arguments.args]
    defaults: dict[str, ast.expr] = {
        each.arg: default
        for each, default in zip(
            (*positional[len(positional) - len(arguments.defaults) :], *arguments.kwonlyargs),
            (*arguments.defaults, *arguments.kw_defaults),
        )
        if default is not None
    }
    default_numbers = {name: outside.number(default) for name, default in defaults.items()}
    found: dict[str, set[int | None]] = {}
    for scopes, call in _calls(module, function.name):
        reader = _Reader(scopes, constant)
        passed = dict(zip([each.arg for each in positional], reader.positional(call)))
        passed.update({word.arg: word.value for word in call.keywords if word.arg is not None})
        whole = all(word.arg is not None for word in call.keywords) and not any(
            isinstance(arg, ast.Starred) and shown_elements(arg.value, scopes) is None for arg in call.args
        )
        for each in (*positional, *arguments.kwonlyargs):
            number = default_numbers.get(each.arg) if whole and each.arg not in passed else None
            if each.arg in passed:
                number = reader.number(passed[each.arg])
            found.setdefault(each.arg, set()).add(number)
    if not found:
        found = {name: {number} for name, number in default_numbers.items()}
    agreed = {name: next(iter(numbers)) for name, numbers in found.items() if len(numbers) == 1}
    return {name: number for name, number in agreed.items() if number is not None}


def _calls(module: ast.Module, entry: str) -> list[tuple[tuple[Scope, ...], ast.Call]]:
    """Calls of the entry with the scopes they stand in, innermost first."""
    found: list[tuple[tuple[Scope, ...], ast.Call]] = []

    def visit(node: ast.AST, scopes: tuple[Scope, ...]) -> None:
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            scopes = (node, *scopes)
        elif isinstance(node, ast.Call):
            function = node.func
            if isinstance(function, ast.Attribute) and function.attr in _COMPILES:
                function = function.value
            if may_be(function, entry, scopes):
                found.append((scopes, node))
        for child in ast.iter_child_nodes(node):
            visit(child, scopes)

    visit(module, (module,))
    return found


class _Reader:
    """Shapes and numbers of expressions in the innermost of ``scopes``."""

    def __init__(self, scopes: tuple[Scope, ...], constant: Callable[[str], object]) -> None:
        self._scopes = scopes
        self._constant = constant
        self._open: set[str] = set()

    def shape(self, expr: ast.expr) -> Shape | None:
        """None for what is no tensor, or not evidently of one shape."""
        if isinstance(expr, ast.Name):
            return self._named(expr.id)
        if isinstance(expr, ast.Call):
            return self._call(expr)
        if isinstance(expr, ast.BinOp):
            left, right = self.shape(expr.left), self.shape(expr.right)
            if left is None or right is None:
                one, other = (left, expr.right) if left is not None else (right, expr.left)
                return one if _is_number(other) else None
            return left if left == right else None
        if isinstance(expr, ast.UnaryOp):
            return self.shape(expr.operand)
        return None

    def _named(self, name: str) -> Shape | None:
        if name in self._open:
            return None
        self._open.add(name)
        found = [self.shape(value) for value in assigned(name, self._scopes)]
        self._open.discard(name)
        return found[0] if found and all(shape == found[0] for shape in found) else None

    def positional(self, call: ast.Call) -> list[ast.expr]:
        """The arguments by position, as far as ``*args`` shows its elements."""
        found: list[ast.expr] = []
        for arg in call.args:
            if not isinstance(arg, ast.Starred):
                found.append(arg)
                continue
            elements = shown_elements(arg.value, self._scopes)
            if elements is None:
                break
            found.extend(elements)
        return found

    def _call(self, call: ast.Call) -> Shape | None:
        function = call.func
        if not isinstance(function, ast.Attribute):
            return None
        made = self._made(function, call)
        if made is not None:
            return made
        base = self.shape(function.value)
        if base is None:
            return None
        if function.attr in _SAME:
            return base
        if function.attr in _CONVERSIONS and not call.args:
            return Shape(_CONVERSIONS[function.attr], base.extents)
        if function.attr in ("to", "astype", "type"):
            names = [name for arg in (*call.args, *(word.value for word in call.keywords)) if (name := _dtype(arg))]
            return Shape(names[0], base.extents) if names else base
        if function.attr in ("reshape", "view"):
            sizes = self._sizes(call.args)
            return None if sizes is None or -1 in sizes else Shape(base.dtype, sizes)
        return None

    def _made(self, function: ast.Attribute, call: ast.Call) -> Shape | None:
        """The result of a function that makes a tensor: ``torch.zeros``, ``np.full``, ``rng.standard_normal`` …"""
        name = function.attr
        words = {word.arg: word.value for word in call.keywords}
        sized = words.get("size", words.get("shape"))
        if name in _LIKE and call.args:
            like = self.shape(call.args[0])
            dtype = _dtype(words["dtype"]) if "dtype" in words else like.dtype if like is not None else ""
            return Shape(dtype, like.extents) if like is not None and dtype else None
        integers = name == "randint" or (name in _FILLED and len(call.args) > 1 and _is_integer(call.args[1]))
        if sized is not None:
            dimensions: Sequence[ast.expr] = [sized]
        elif name in _SIZED | _DIMENSIONS:
            dimensions = call.args
        elif name in _FILLED | _DRAWN:
            dimensions = call.args[:1]
        elif name == "randint":
            dimensions = [arg for arg in call.args if isinstance(arg, (ast.Tuple, ast.List))][:1]
        else:
            return None
        sizes = self._sizes(dimensions)
        dtype = _dtype(words["dtype"]) if "dtype" in words else self._default(function, integers)
        # A second positional argument of numpy's functions is the type.
        if name in _SIZED and len(call.args) == 2 and "dtype" not in words and _dtype(call.args[1]):
            sizes, dtype = self._sizes(call.args[:1]), _dtype(call.args[1])
        return Shape(dtype, sizes) if dtype and sizes else None

    def _default(self, function: ast.Attribute, integers: bool) -> str:
        if integers:
            return "INT64"
        root: ast.expr = function
        while isinstance(root, ast.Attribute):
            root = root.value
        torch = isinstance(root, ast.Name) and root.id not in _NUMPY and function.attr not in _DRAWN
        # numpy makes double precision, which no program takes: a conversion follows.
        return "FP32" if torch else _DOUBLE

    def _sizes(self, exprs: Sequence[ast.expr]) -> tuple[int, ...] | None:
        if len(exprs) == 1:
            one = exprs[0]
            if isinstance(one, (ast.Tuple, ast.List)):
                return self._sizes(one.elts) if len(one.elts) != 1 else self._numbers(one.elts)
            if isinstance(one, ast.Attribute) and one.attr == "shape":
                like = self.shape(one.value)
                extents = () if like is None else like.extents
                return tuple([extent for extent in extents if isinstance(extent, int)]) or None
        return self._numbers(exprs)

    def _numbers(self, exprs: Sequence[ast.expr]) -> tuple[int, ...] | None:
        numbers = [self.number(expr) for expr in exprs]
        known = tuple([number for number in numbers if number is not None])
        return known if len(known) == len(numbers) else None

    def number(self, expr: ast.expr) -> int | None:
        if isinstance(expr, ast.Constant):
            return expr.value if isinstance(expr.value, int) and not isinstance(expr.value, bool) else None
        if isinstance(expr, ast.UnaryOp) and isinstance(expr.op, ast.USub):
            operand = self.number(expr.operand)
            return None if operand is None else -operand
        if isinstance(expr, ast.Name):
            return self._number_named(expr.id)
        if isinstance(expr, ast.BinOp):
            left, right = self.number(expr.left), self.number(expr.right)
            if left is None or right is None:
                return None
            if isinstance(expr.op, ast.Add):
                return left + right
            if isinstance(expr.op, ast.Sub):
                return left - right
            if isinstance(expr.op, ast.Mult):
                return left * right
            if isinstance(expr.op, ast.FloorDiv) and right:
                return left // right
        return None

    def _number_named(self, name: str) -> int | None:
        local = assigned(name, self._scopes[:-1])
        if not local:
            value = self._constant(name)
            if isinstance(value, int) and not isinstance(value, bool):
                return value
            # Not executed when the module is imported: ``if __name__ == "__main__":``.
            local = assigned(name, self._scopes[-1:])
        key = f"number {name}"
        if len(local) != 1 or key in self._open:
            return None
        self._open.add(key)
        found = self.number(local[0])
        self._open.discard(key)
        return found


def _is_number(expr: ast.expr) -> bool:
    if isinstance(expr, ast.UnaryOp):
        return _is_number(expr.operand)
    return isinstance(expr, ast.Constant) and isinstance(expr.value, (int, float))


def _is_integer(expr: ast.expr) -> bool:
    return isinstance(expr, ast.Constant) and isinstance(expr.value, int)


def _dtype(expr: ast.expr) -> str:
    """PyPTO's name of ``torch.float32`` or ``np.float32``; "" for anything else."""
    return _DTYPES.get(expr.attr, "") if isinstance(expr, ast.Attribute) else ""
