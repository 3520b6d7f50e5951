// On-chip memories, tiles in them, and windows of global memory.
#pragma once

#include <array>

#include "model/elements.hpp"
#include "model/order.hpp"

namespace pto {

enum class TileType { Vec, Mat, Left, Right, Acc };
enum class BLayout { RowMajor, ColMajor };
enum class SLayout { NoneBox, RowMajor, ColMajor };
enum class AtomicType { AtomicNone, AtomicAdd };
enum class ReluPreMode { NoRelu, NormalRelu };
enum class RoundMode { CAST_NONE, CAST_RINT, CAST_ROUND, CAST_FLOOR, CAST_CEIL, CAST_TRUNC };

}  // namespace pto

namespace model {

constexpr int kinds = 5;
constexpr uint64_t capacities[kinds] = {192 * 1024, 512 * 1024, 64 * 1024, 64 * 1024, 128 * 1024};
constexpr int global_memory = kinds;

// All bits set: undefined numbers are NaN or -1.
inline std::array<std::array<uint8_t, 512 * 1024>, kinds> memories;

}  // namespace model

namespace pto {

template <TileType Loc_, typename T, int Rows_, int Cols_, BLayout Order = BLayout::RowMajor, int ValidRows = Rows_,
          int ValidCols = Cols_, SLayout Inner = SLayout::NoneBox, int Fractal = 512>
struct Tile {
    using DType = T;
    static constexpr TileType Loc = Loc_;
    static constexpr int Rows = Rows_, Cols = Cols_;
    static constexpr bool boxed = Inner != SLayout::NoneBox;
    static constexpr bool row_major = Order == BLayout::RowMajor;
    static constexpr int across = Fractal == 1024 ? 16 : 32 / static_cast<int>(sizeof(T));
    static constexpr int box_rows = !boxed ? 1 : Inner == SLayout::RowMajor ? 16 : across;
    static constexpr int box_cols = !boxed ? 1 : Inner == SLayout::RowMajor ? across : 16;
    static_assert(ValidRows <= Rows && ValidCols <= Cols, "more elements than the tile has room for");
    static_assert(boxed || (row_major ? Cols : Rows) * sizeof(T) % 32 == 0, "rows of a tile are whole blocks");
    static_assert(Rows % box_rows == 0 && Cols % box_cols == 0, "a tile consists of whole boxes");
    static_assert((Loc == TileType::Vec) == !boxed, "the cube core works on boxes, the vector core does not");

    int64_t address = -1;
    int valid_rows = ValidRows, valid_cols = ValidCols;

    Tile() { static_assert(ValidRows != -1 && ValidCols != -1, "extents of a tile that are not given"); }
    // Those of the extents that are -1.
    explicit Tile(int64_t only) : Tile(ValidRows == -1 ? only : ValidRows, ValidRows == -1 ? ValidCols : only) {
        static_assert((ValidRows == -1) != (ValidCols == -1));
    }
    Tile(int64_t rows_, int64_t cols_) : valid_rows(rows_), valid_cols(cols_) {
        static_assert(ValidRows == -1 || ValidCols == -1);
        if (rows_ < 0 || cols_ < 0 || rows_ > Rows || cols_ > Cols)
            throw std::runtime_error("more elements than the tile has room for");
    }

    int rows() const { return valid_rows; }
    int cols() const { return valid_cols; }

    int64_t offset(int row, int col) const {
        if constexpr (!boxed) {
            return row_major ? static_cast<int64_t>(row) * Cols + col : static_cast<int64_t>(col) * Rows + row;
        } else {
            const int64_t box = row_major ? (row / box_rows) * (Cols / box_cols) + col / box_cols
                                          : (col / box_cols) * (Rows / box_rows) + row / box_rows;
            const int inside = Inner == SLayout::RowMajor ? (row % box_rows) * box_cols + col % box_cols
                                                          : (col % box_cols) * box_rows + row % box_rows;
            return box * box_rows * box_cols + inside;
        }
    }

    T &at(int row, int col) {
        return reinterpret_cast<T *>(model::memories[static_cast<int>(Loc)].data() + address)[offset(row, col)];
    }

    // The bytes between the first and the last element, as an access of an instruction that has begun.
    void touch(int pipe, bool write) const {
        if (valid_rows == 0 || valid_cols == 0) return;
        const uint64_t begin = static_cast<uint64_t>(address);
        const uint64_t end = begin + sizeof(T) * (static_cast<uint64_t>(offset(valid_rows - 1, valid_cols - 1)) + 1);
        if (address < 0 || end > model::capacities[static_cast<int>(Loc)])
            throw std::runtime_error("a tile outside of its memory");
        model::access(static_cast<int>(Loc), begin, end, write, pipe);
    }

    T GetValue(int64_t position) {
        static_assert(Loc == TileType::Vec);
        model::begin_instruction(PIPE_S);
        touch(PIPE_S, false);
        return (&at(0, 0))[position];
    }

    void SetValue(int64_t position, T value) {
        static_assert(Loc == TileType::Vec);
        model::begin_instruction(PIPE_S);
        touch(PIPE_S, true);
        (&at(0, 0))[position] = value;
    }
};

template <typename T, int Rows, int Cols, int ValidRows = Rows, int ValidCols = Cols>
using TileLeft =
    Tile<TileType::Left, T, Rows, Cols, BLayout::RowMajor, ValidRows, ValidCols, SLayout::RowMajor, 512>;
template <typename T, int Rows, int Cols, int ValidRows = Rows, int ValidCols = Cols>
using TileRight =
    Tile<TileType::Right, T, Rows, Cols, BLayout::RowMajor, ValidRows, ValidCols, SLayout::ColMajor, 512>;
template <typename T, int Rows, int Cols, int ValidRows = Rows, int ValidCols = Cols>
using TileAcc = Tile<TileType::Acc, T, Rows, Cols, BLayout::ColMajor, ValidRows, ValidCols, SLayout::RowMajor, 1024>;

template <typename T>
void TASSIGN(T &tile, int64_t address) {
    if (address % 32 != 0) throw std::runtime_error("a tile that does not begin at a block");
    tile.address = address;
}

// Numbers of which some are known when compiling; -1 stands for the others, which are given in order.
template <int64_t... Known>
struct Five {
    static_assert(sizeof...(Known) == 5);
    std::array<int64_t, 5> values{Known...};
    Five() = default;
    template <typename... Given>
    Five(int64_t first, Given... others) {
        const int64_t given[] = {first, static_cast<int64_t>(others)...};
        int next = 0;
        for (int64_t &value : values)
            if (value == -1) value = given[next++];
        if (next != 1 + static_cast<int>(sizeof...(others))) throw std::runtime_error("more numbers than are missing");
    }
};
template <int64_t... Known>
using Shape = Five<Known...>;
template <int64_t... Known>
using Stride = Five<Known...>;

template <typename T, typename ShapeType, typename StrideType>
struct GlobalTensor {
    using DType = T;
    T *data;
    ShapeType shape;
    StrideType stride;
    GlobalTensor(T *data_, const ShapeType &shape_ = {}, const StrideType &stride_ = {})
        : data(data_), shape(shape_), stride(stride_) {
        if (stride.values[4] != 1) throw std::runtime_error("a transfer of elements that do not follow one another");
    }
    int64_t rows() const { return shape.values[0] * shape.values[1] * shape.values[2] * shape.values[3]; }
    int64_t cols() const { return shape.values[4]; }
    T *row(int64_t index) const {
        T *found = data;
        for (int axis = 3; axis >= 0; --axis) {
            found += index % shape.values[axis] * stride.values[axis];
            index /= shape.values[axis];
        }
        return found;
    }
};

}  // namespace pto
