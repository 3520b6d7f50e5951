"""The code of one kernel while it is written: names, tiles, and what every operation needs of them."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from pto_lsp.analysis.ir.place import Place
from pto_lsp.backend.kernels.code import CodeBuilder, Declaration, InPlace, Instruction, Node, Pipe, Touch
from pto_lsp.backend.kernels.dtypes import bits_of, computed, element, padded
from pto_lsp.backend.kernels.tiles import Buffer, Extent, Layout, Space, Tile, flat, tile_bytes, vector_extents
from pto_lsp.backend.kernels.values import Tensor
from pto_lsp.backend.orchestration.errors import NotEmitted
from pto_lsp.backend.orchestration.scalars import bare
from pto_lsp.backend.orchestration.text import Names

_TAKEN = """
half bfloat16_t Tile TileLeft TileRight TileAcc GlobalTensor Shape Stride TileType BLayout SLayout RoundMode Layout
ChipTensor from_u64 kernel_entry pipe_sync set_flag wait_flag pipe_barrier dcci dsb event_t pto Op
get_block_idx get_block_num get_sub_block_id AtomicType
""".split()

_ELEMENTWISE = frozenset(
    """
    TADD TSUB TMUL TDIV TMAX TMIN TADDS TSUBS TMULS TDIVS TMAXS TMINS TABS TEXP TLOG TSQRT TRELU
    """.split()
)
"""Instructions whose result may lie where an operand lies; not all that compute element by element say so."""

_WITH_A_ROW = frozenset([f"TCOLEXPAND{word}" for word in ("ADD", "SUB", "MUL", "DIV", "MAX", "MIN")])
"""The same for their first operand: each of its rows is computed by itself."""


class Frame:
    """``cube``: this is code for the cube core. ``label`` is what the value being made is called, ``at`` where.

    ``stores`` counts the stores written, ``topology`` is whether the code asks which block it is.
    """

    def __init__(self, cube: bool) -> None:
        self.cube = cube
        self.code = CodeBuilder()
        self.names = Names()
        for word in _TAKEN:
            self.names.fresh(word)
        self.label = "value"
        self.tiles: list[Tile] = []
        self.topology = False
        self.stores = 0
        self.at: Place | None = None
        self._loaded: dict[tuple[object, ...], Tensor] = {}

    # -- code ----------------------------------------------------------------------------------------------------

    def emit(self, pipe: Pipe, text: str, *tiles: Tile) -> None:
        self.code.add(Instruction(text, pipe, tiles))

    def vector(self, instruction: str, result: Tile, *operands: Tile | str) -> None:
        """``instruction(result, operands…);`` on the vector core."""
        texts = [operand.name if isinstance(operand, Tile) else operand for operand in operands]
        tiles = [operand for operand in operands if isinstance(operand, Tile)]
        text = f"{instruction}({', '.join([result.name, *texts])});"
        replaceable = tiles if instruction in _ELEMENTWISE else tiles[:1] if instruction in _WITH_A_ROW else []
        self.code.add(Instruction(text, Pipe.VECTOR, (result, *tiles), tuple(replaceable)))

    def named(self, text: str, wish: str) -> str:
        """The number ``text`` under a name of its own."""
        name = self.names.fresh(wish)
        self.code.add(Declaration(name, f"const int64_t {name} = {bare(text)};"))
        return name

    @contextmanager
    def block(self, nodes: list[Node]) -> Iterator[None]:
        """Write into ``nodes``. What was loaded before need not be there after a trip or in the other branch."""
        self.forget_loaded()
        with self.code.inside(nodes):
            yield
        self.forget_loaded()

    # -- tiles ---------------------------------------------------------------------------------------------------

    def new_tile(
        self,
        label: str,
        space: Space,
        dtype: str,
        layout: Layout,
        rows: int,
        cols: int,
        valid: tuple[Extent, Extent],
    ) -> Tile:
        """A tile in a buffer of its own."""
        element(dtype)
        name = self.names.fresh(label)
        buffer = Buffer(name, space, tile_bytes(rows, cols, dtype), self.at)
        return self._declared(Tile(name, buffer, dtype, layout, rows, cols, valid))

    def _declared(self, tile: Tile) -> Tile:
        if tile.in_place:
            self.code.add(InPlace(tile))
        else:
            self.tiles.append(tile)
        return tile

    def vector_tile(
        self, shape: tuple[int, ...], dtype: str, label: str = "", valid: tuple[Extent, Extent] | None = None
    ) -> Tile:
        """A tile on the vector core for a value of ``shape``, of which ``valid`` rows and columns hold elements."""
        layout, rows, cols = vector_extents(shape, dtype)
        return self.new_tile(label or self.label, Space.VEC, dtype, layout, rows, cols, valid or flat(shape))

    def limited(self, tile: Tile, valid: tuple[Extent, Extent]) -> Tile:
        """``tile`` with only these extents taken for elements."""
        if tile.valid == valid:
            return tile
        return self.alias(tile, f"{tile.name}_valid", tile.dtype, tile.layout, tile.rows, tile.cols, valid)

    def alias(
        self,
        of: Tile,
        label: str,
        dtype: str,
        layout: Layout,
        rows: int,
        cols: int,
        valid: tuple[Extent, Extent],
        offset: int | str = 0,
    ) -> Tile:
        """Another look at the buffer of ``of``, ``offset`` bytes after the beginning of that tile."""
        where: int | str = offset
        if of.offset:
            where = (
                of.offset + offset
                if isinstance(of.offset, int) and isinstance(offset, int)
                else (f"{of.offset} + {offset}" if offset else of.offset)
            )
        return self._declared(Tile(self.names.fresh(label), of.buffer, dtype, layout, rows, cols, valid, where))

    def touch(self, tile: Tile) -> None:
        self.code.add(Touch(tile))

    # -- values --------------------------------------------------------------------------------------------------

    def value(self, tile: Tile, shape: tuple[int, ...], dtype: str = "") -> Tensor:
        return Tensor(shape, dtype or tile.dtype, tile)

    def rows_of(self, tile: Tile) -> Tile:
        """``tile`` in row-major order: a column as the one row that its bytes are as well."""
        if tile.layout is not Layout.COLUMN:
            return tile
        return self.alias(tile, f"{tile.name}_row", tile.dtype, Layout.ROWS, 1, tile.rows, (1, tile.valid[0]))

    def as_integers(self, tile: Tile) -> Tile:
        """The bits of ``tile``."""
        dtype = bits_of(tile.dtype)
        if dtype == tile.dtype:
            return tile
        return self.alias(tile, f"{tile.name}_bits", dtype, tile.layout, tile.rows, tile.cols, tile.valid)

    def copy(self, target: Tile, source: Tile) -> None:
        """Elements of a vector tile into another one of the same extents, whatever the lengths of their rows."""
        if (target.rows, target.cols, target.layout) == (source.rows, source.cols, source.layout):
            self.vector("TMOV", target, source)
        else:
            self.vector("TADDS", self.as_integers(target), self.as_integers(source), "0")

    def column_of(self, target: Tile, source: Tile) -> None:
        """The only valid column of ``source``, whose elements stand one row apart, into ``target``, a column."""
        # The largest of one element is that element.
        count, width = source.valid[0], padded(1, source.dtype)
        scratch = self.vector_tile((source.rows, width), source.dtype, f"{target.name}_scratch", (count, width))
        self.vector("TROWMAX", self.as_integers(target), self.as_integers(source), self.as_integers(scratch))

    def converted(self, tile: Tile, shape: tuple[int, ...], dtype: str, mode: str = "CAST_RINT") -> Tile:
        """``tile`` with elements of another type, in a new tile if need be."""
        if tile.dtype == dtype:
            return tile
        by_way_of = _between(tile.dtype, dtype)
        if by_way_of:
            tile = self.converted(tile, shape, by_way_of, mode)
            mode = "CAST_RINT"
        result = self.vector_tile(shape, dtype, valid=tile.valid)
        self.vector("TCVT", self.rows_of(result), self.rows_of(tile), f"RoundMode::{mode}")
        return result

    def computable(self, tile: Tile, shape: tuple[int, ...], what: str) -> Tile:
        """``tile`` in a type that vector instructions take."""
        return self.converted(tile, shape, computed(tile.dtype, what))

    # -- loads that can be used again ----------------------------------------------------------------------------

    def loaded(self, key: tuple[object, ...]) -> Tensor | None:
        return self._loaded.get(key)

    def remember_loaded(self, key: tuple[object, ...], value: Tensor) -> None:
        self._loaded[key] = value

    def forget_loaded(self) -> None:
        """Global memory may have changed, or the code so far may not have run."""
        self._loaded.clear()


def _between(source: str, target: str) -> str:
    """The type by way of which the vector core converts, "" for directly."""
    direct = {
        ("FP32", "FP16"), ("FP16", "FP32"), ("FP32", "BF16"), ("BF16", "FP32"), ("FP32", "INT32"), ("INT32", "FP32"),
        ("FP16", "INT32"), ("BF16", "INT32"), ("FP16", "INT8"), ("INT8", "FP16"),
    }  # fmt: skip
    if (source, target) in direct:
        return ""
    if (source, "FP32") in direct and ("FP32", target) in direct:
        return "FP32"
    if source == "INT8" and ("FP16", target) in direct:
        # Half precision holds every one of them.
        return "FP16"
    raise NotEmitted(f"a conversion from {source} to {target}")


def is_linear(tile: Tile) -> bool:
    """Whether the elements follow one another without gaps."""
    return tile.layout is Layout.COLUMN or tile.rows == 1 or tile.valid[1] == tile.cols


def same_place(one: Tile, other: Tile) -> bool:
    """Whether two tiles have their elements in the same bytes."""
    return one.buffer is other.buffer and (one.offset, one.layout, one.cols) == (other.offset, other.layout, other.cols)
