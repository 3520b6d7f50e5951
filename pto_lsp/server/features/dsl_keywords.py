"""The keyword arguments of the DSL's constructs and operators, and what they take (as data)."""

from __future__ import annotations

from typing import NamedTuple


class Keyword(NamedTuple):
    """``value`` is what is usually written, ``$1`` where the cursor goes; ``about`` one line for the reader."""

    name: str
    value: str
    about: str


_TRUE = "True"
_LEVEL = Keyword("level", "pl.Level.CORE_GROUP", "where the region runs")
_NAME_HINT = Keyword("name_hint", '"$1"', "name of the task: a literal identifier")
_DEPS = Keyword("deps", "[$1]", "task ids that it waits for, besides what the runtime infers")
_DUMPS = Keyword("dumps", "[$1]", "tensors whose contents are dumped")
_EARLY = Keyword("allow_early_resolve", _TRUE, "followers may be placed before it is done")
_SYNC = Keyword("sync_start", _TRUE, "all blocks start at once")
_OPTIMIZATIONS = Keyword("optimizations", "[$1]", "pl.split(…), pl.cross_core_slot(…)")
_PREDICATE = Keyword("predicate", "$1", "a comparison that decides at run time whether it runs")
_CORE_NUM = Keyword("core_num", "$1", "number of blocks")
_ATTRS = Keyword("attrs", "{$1}", "attributes for the compiler")
_INIT_VALUES = Keyword("init_values", "($1,)", "values that the loop carries")
_DTYPE = Keyword("dtype", "pl.$1", "element type")
_VALID = Keyword("valid_shape", "[$1]", "the part that holds data")
_CLAMP = Keyword("clamp", _TRUE, "cut what reaches over the end")
_PAD = Keyword("pad_value", "pl.PadValue.$1", "what the rest is filled with")
_ATOMIC = Keyword("atomic", "pl.AtomicType.Add", "add to what is there")
_MEMORY = Keyword("target_memory", "pl.MemorySpace.$1", "where the tile lives")
_A_TRANS = Keyword("a_trans", _TRUE, "the left operand is transposed")
_B_TRANS = Keyword("b_trans", _TRUE, "the right operand is transposed")

_LOOP = (_INIT_VALUES, _ATTRS)
_SLICE = (_VALID, Keyword("drop_dims", "[$1]", "dimensions of extent 1 to leave out"), _PAD, _CLAMP)
_CREATE = (
    _DTYPE,
    Keyword("layout", "pl.TensorLayout.$1", "ND, DN or NZ"),
    Keyword("manual_dep", _TRUE, "no dependencies are inferred for it"),
    Keyword("init_value", "$1", "what it is filled with"),
)
_FULL = (_DTYPE, Keyword("value", "$1", "what it is filled with"))
_LOAD = (_VALID, _MEMORY, _CLAMP)
_MATMUL = (
    Keyword("out_dtype", "pl.$1", "element type of the result"),
    _A_TRANS,
    _B_TRANS,
    Keyword("c_matrix_nz", _TRUE, "the result is in NZ layout"),
)
_CAST = (Keyword("target_type", "pl.$1", "element type"), Keyword("mode", '"$1"', "how it is rounded"))
_TILE = (_DTYPE, _MEMORY)

_CONSTRUCTS: dict[str, tuple[Keyword, ...]] = {
    "pl.at": (
        _LEVEL,
        _NAME_HINT,
        _DEPS,
        Keyword("no_dep_args", "[$1]", "tensors for which nothing is inferred: bare names"),
        _EARLY,
        _OPTIMIZATIONS,
        _DUMPS,
        Keyword("windowize", _TRUE, "hand the kernel windows of its arguments"),
        Keyword("role", "pl.Role.$1", "orchestrator or worker, above the core group"),
    ),
    "with pl.spmd": (_NAME_HINT, _DEPS, _PREDICATE, _SYNC, _EARLY, _OPTIMIZATIONS, _CORE_NUM),
    "for pl.spmd": (_NAME_HINT, _SYNC, _EARLY, _OPTIMIZATIONS, _CORE_NUM),
    "pl.submit": (_DEPS, _PREDICATE, _EARLY, _DUMPS, _ATTRS),
    "pl.spmd_submit": (_CORE_NUM, _DEPS, _PREDICATE, _SYNC, _EARLY, _DUMPS, _ATTRS),
    "pl.cluster": (_NAME_HINT,),
    "pl.scope": (Keyword("mode", "pl.ScopeMode.$1", "AUTO or MANUAL"),),
    "pl.system.task_dummy": (_DEPS,),
    "pl.range": _LOOP,
    "pl.parallel": _LOOP,
    "pl.unroll": (_ATTRS,),
    "pl.pipeline": (Keyword("stage", "$1", "how many iterations overlap"), _INIT_VALUES),
    "pl.while_": (_INIT_VALUES,),
    "pl.split_aiv": (Keyword("mode", "pl.SplitMode.$1", "how the tile is halved"),),
    "pl.create_tensor": _CREATE,
    "pl.tensor.create": _CREATE,
    "pl.create_tile": _TILE,
    "pl.tile.create": _TILE,
    "pl.slice": _SLICE,
    "pl.tensor.slice": _SLICE,
    "pl.tile.slice": _SLICE,
    "pl.full": _FULL,
    "pl.tensor.full": _FULL,
    "pl.tile.full": _FULL,
    "pl.load": _LOAD,
    "pl.tile.load": _LOAD,
    "pl.store": (_ATOMIC,),
    "pl.tile.store": (_ATOMIC,),
    "pl.assemble": (_ATOMIC,),
    "pl.tensor.assemble": (_ATOMIC,),
    "pl.fillpad": (_PAD,),
    "pl.matmul": _MATMUL,
    "pl.tensor.matmul": _MATMUL,
    "pl.matmul_acc": (_A_TRANS, _B_TRANS, Keyword("init_cond", "$1", "begin with zero instead of the accumulator")),
    "pl.cast": _CAST,
    "pl.tensor.cast": _CAST,
    "pl.tile.cast": _CAST,
}

_DTYPES = tuple(
    f"pl.{name}" for name in "FP32 BF16 FP16 INT32 INT8 INT64 UINT8 UINT32 INT16 UINT16 UINT64 BOOL INDEX".split()
)
_BOOLEANS = ("True", "False")
_VALUES: dict[str, tuple[str, ...]] = {
    "level": ("pl.Level.CORE_GROUP", "pl.Level.HOST"),
    "role": ("pl.Role.Orchestrator", "pl.Role.SubWorker"),
    "dtype": _DTYPES,
    "out_dtype": _DTYPES,
    "target_type": _DTYPES,
    "pad_value": ("pl.PadValue.zero", "pl.PadValue.min", "pl.PadValue.max"),
    "atomic": ("pl.AtomicType.Add",),
    "layout": ("pl.TensorLayout.ND", "pl.TensorLayout.DN", "pl.TensorLayout.NZ"),
    **dict.fromkeys(
        ("allow_early_resolve", "sync_start", "windowize", "manual_dep", "clamp", "a_trans", "b_trans", "c_matrix_nz"),
        _BOOLEANS,
    ),
}
_MODES = {
    "pl.scope": ("pl.ScopeMode.MANUAL", "pl.ScopeMode.AUTO"),
    "pl.split_aiv": ("pl.SplitMode.UP_DOWN", "pl.SplitMode.LEFT_RIGHT", "pl.SplitMode.NONE"),
}


def keywords_of(callee: str, statement: str) -> tuple[Keyword, ...]:
    """Those of a call of ``callee`` ("pl.at"); ``statement`` is the first word of the statement around it."""
    return _CONSTRUCTS.get(f"{statement} {callee}") or _CONSTRUCTS.get(callee, ())


def values_of(callee: str, keyword: str) -> tuple[str, ...]:
    """What is worth offering behind ``keyword=``."""
    return _MODES.get(callee, ()) if keyword == "mode" else _VALUES.get(keyword, ())
