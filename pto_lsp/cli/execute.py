"""``pto-lsp run``: execute a program's tasks on numpy arrays."""

from __future__ import annotations

import argparse
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from pto_lsp.cli.arguments import Number, TensorText, argument, named_number
from pto_lsp.cli.program import (
    ENTRY_HELP,
    OK,
    REFUSED,
    TARGET,
    OpenFile,
    Session,
    Target,
    Unusable,
    answered,
    print_concise,
    target,
)
from pto_lsp.diagnostics import Severity

if TYPE_CHECKING:
    from pto_lsp.analysis.ir.program import Function, Program
    from pto_lsp.backend.execution.errors import NotExecutable
    from pto_lsp.backend.execution.run import Arguments, Result, Shaped
    from pto_lsp.backend.execution.values import Array
    from pto_lsp.backend.shapes.shape import Shape


def run(arguments: Sequence[str]) -> int:
    options = _parser().parse_args(arguments)
    return answered(lambda: _run(options))


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="pto-lsp run",
        description="Execute the tasks of a program on numpy arrays, each after those it waits for. Tensors come from "
        "INPUT or are random; Out parameters start as NaN, or the largest integer. Without ENTRY the first program of "
        "FILE that starts tasks is taken. Graphs run as legalized.",
        epilog=f"{ENTRY_HELP}. Exit code: 0 done, and every check holds; 1 the program is refused, the result depends "
        "on the order, or a check fails; 2 wrong usage, unreadable file or configuration, no such entry, or something "
        "in the program that is not executed. BF16 arrays are kept as float32, rounded to BF16.",
    )
    parser.add_argument("target", type=target, metavar=TARGET)
    parser.add_argument("--input", metavar="INPUT", help="an .npz file with arrays by parameter name")
    parser.add_argument("--output", metavar="OUTPUT", help="an .npz file to write every tensor parameter to")
    parser.add_argument(
        "--arg",
        type=argument,
        action="append",
        default=[],
        metavar="NAME=VALUE",
        help="a number for a scalar parameter, or type and shape of a bare tensor parameter: FP32[128,64]; without it "
        "they come from a call of the entry in FILE that shows them",
    )
    parser.add_argument(
        "--dim",
        type=named_number,
        action="append",
        default=[],
        metavar="NAME=EXTENT",
        help="extent of a dynamic dimension",
    )
    parser.add_argument(
        "--order",
        choices=("submission", "random"),
        default="submission",
        help="random: in a random order that the edges allow, and compared with the order of submission, which shows "
        "a race as a different result",
    )
    parser.add_argument("--seed", type=int, default=0, metavar="N", help="which random order (default: 0)")
    parser.add_argument("--data-seed", type=int, default=0, metavar="N", help="which random inputs (default: 0)")
    parser.add_argument(
        "--expect",
        action="append",
        default=[],
        metavar="EXPRESSION",
        help="a Python expression that has to hold, over the tensors after the run by name, 'before' (the arguments "
        "by name) and 'np', for example 'out == (x + x) + (x + x)'",
    )
    return parser


def _run(options: argparse.Namespace) -> int:
    try:
        import numpy  # noqa: F401
    except ImportError as fault:
        raise Unusable("'run' needs numpy: pip install 'pto-lsp[run]'") from fault
    wanted: Target = options.target
    session = Session()
    file = session.open(wanted.file)
    found = file.orchestration_entry(wanted.entry)
    entry = found.orchestration
    if entry is None:
        raise Unusable(f"{wanted.file}: '{found.root.name}' starts no task")
    from pto_lsp.backend.shapes.specialize import Contradiction
    from pto_lsp.cli.compilation import judged

    given = _given(options)
    # Numbers for somebody else: for the Python function that the program is made in.
    others = {n: v for n, v in given.items() if isinstance(v, (int, float)) and entry.param_index(n) is None}
    try:
        judgement = judged(session.project, session.resolver, file.module, found, _shapes(entry, given), others)
    except Contradiction as fault:
        raise Unusable(f"{file.shown}: --arg: {fault}") from fault
    shaped = judgement.shaped
    if judgement.refused or shaped is None or not shaped.entry.analysis.plan.accepted:
        print_concise(session, tuple([each for each in judgement.findings if each.severity is Severity.ERROR]))
        return REFUSED
    from pto_lsp.analysis.graph_boundary.legalize import legalize
    from pto_lsp.backend.execution.errors import NotExecutable

    program = legalize(shaped.entry.analysis.plan)
    own = {name: value for name, value in given.items() if name not in others}
    try:
        return _execute(program, program.functions[entry.key], own, options)
    except NotExecutable as fault:
        raise Unusable(_located(file, fault)) from fault


def _given(options: argparse.Namespace) -> dict[str, Array | Shaped | Number]:
    """Arguments by name: those of the command line win over those of the file."""
    from pto_lsp.backend.execution.run import Shaped

    given: dict[str, Array | Shaped | Number] = {**_inputs(options.input)}
    for name, value in options.arg:
        given[name] = Shaped(*value) if isinstance(value, TensorText) else value
    return given


def _shapes(entry: Function, given: Mapping[str, Array | Shaped | Number]) -> dict[str, Shape]:
    """What ``given`` says of parameters that are bare ``pl.Tensor``."""
    from pto_lsp.backend.execution.run import Shaped, dtype_name
    from pto_lsp.backend.shapes.shape import Shape, is_open

    shapes = {}
    for param in entry.params:
        value = given.get(param.name)
        if value is None or isinstance(value, (int, float)) or not is_open(param):
            continue
        dtype = value.dtype if isinstance(value, Shaped) else dtype_name(value)
        if dtype:
            shapes[param.name] = Shape(dtype, tuple(value.shape))
    return shapes


def _located(file: OpenFile, fault: NotExecutable) -> str:
    where = None if fault.place is None else file.locate(fault.place)
    return f"{file.shown}: {fault}" if where is None else f"{where[0]}:{where[1].start.line + 1}: {fault}"


def _execute(
    program: Program,
    entry: Function,
    given: Mapping[str, Array | Shaped | Number],
    options: argparse.Namespace,
) -> int:
    from pto_lsp.backend.execution.run import arguments_for
    from pto_lsp.backend.execution.run import run as execute

    dims = {name: int(extent) for name, extent in options.dim}
    arguments = arguments_for(entry, given, dims, options.data_seed)
    result = execute(program, entry, arguments)
    agrees = True
    order = "order of submission"
    if options.order == "random":
        shuffled = execute(program, entry, arguments, options.seed)
        agrees = _agree(result, shuffled, options.seed)
        result, order = shuffled, f"random order {options.seed}"
    print(f"{entry.name}: {result.tasks} {'task' if result.tasks == 1 else 'tasks'} in {order}")
    for name, dtype in arguments.dtypes.items():
        print(f"  {name}: {_summary(result.tensors[name], dtype)}")
    if options.output:
        _save(options.output, result)
    holds = [_holds(expression, arguments, result) for expression in options.expect]
    return OK if agrees and all(holds) else REFUSED


def _inputs(path: str | None) -> dict[str, Array | Number]:
    if path is None:
        return {}
    import zipfile

    import numpy as np

    try:
        with np.load(path, allow_pickle=False) as archive:
            if not isinstance(archive, np.lib.npyio.NpzFile):
                raise Unusable(f"{path}: not an .npz file")
            return {name: archive[name] for name in archive.files}
    except (OSError, ValueError, EOFError, zipfile.BadZipFile) as fault:
        raise Unusable(f"{path}: {fault}") from fault


def _save(path: str, result: Result) -> None:
    import numpy as np

    try:
        with open(path, "wb") as stream:
            np.savez(stream, **result.tensors)  # type: ignore[arg-type,unused-ignore]
    except OSError as fault:
        raise Unusable(f"{path}: {fault.strerror}") from fault


def _agree(expected: Result, shuffled: Result, seed: int) -> bool:
    """Whether both orders gave the same, element by element; what differs is printed."""
    import numpy as np

    same = True
    for name, array in expected.tensors.items():
        other = shuffled.tensors[name]
        differs = ~((array == other) | ((array != array) & (other != other)))
        if differs.any():
            same = False
            print(f"race: '{name}' differs in {np.count_nonzero(differs)} of {array.size} elements in order {seed}")
    return same


def _summary(array: Array, dtype: str) -> str:
    import numpy as np

    shown = f"{dtype}[{', '.join(str(extent) for extent in array.shape)}]"
    if not array.size:
        return shown
    undefined = int(np.count_nonzero(array != array))
    if undefined == array.size:
        return f"{shown} undefined"
    low, high, mean = np.nanmin(array), np.nanmax(array), np.nanmean(array.astype(np.float64))
    rest = f", {undefined} undefined" if undefined else ""
    return f"{shown} min {low:.6g}, max {high:.6g}, mean {mean:.6g}{rest}"


def _holds(expression: str, arguments: Arguments, result: Result) -> bool:
    import numpy as np

    names = {"np": np, "before": arguments.values, **arguments.values, **result.tensors}
    try:
        # The expression is the user's own, like the argument of `python -c`.
        value = bool(np.all(eval(expression, {"__builtins__": {"abs": abs, "min": min, "max": max}}, names)))
    except Exception as fault:
        raise Unusable(f"--expect {expression!r}: {fault}") from fault
    print(f"{'holds' if value else 'FAILS'}: {expression}")
    return value
