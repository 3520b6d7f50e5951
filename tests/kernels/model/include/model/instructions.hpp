// What the instructions compute. Each runs on the queue of its core that the real one runs on.
#pragma once

#include <algorithm>

#include "model/tiles.hpp"

namespace model {

template <typename Result, typename... Operands>
void instruction(int pipe, Result &result, Operands &...operands) {
    begin_instruction(pipe);
    (operands.touch(pipe, false), ...);
    result.touch(pipe, true);
}

template <typename T, typename First>
constexpr void check_arithmetic() {
    static_assert(is_computed<typename T::DType>, "the vector core does not compute with this type");
    static_assert(std::is_same_v<typename T::DType, typename First::DType>, "operands of different types");
    static_assert(T::row_major && First::row_major, "element by element only along rows");
}

template <typename A, typename B>
void check_extents(A &a, B &b) {
    if (a.rows() != b.rows() || a.cols() != b.cols()) throw std::runtime_error("operands of different extents");
}

template <typename Result, typename Left, typename Right, typename Function>
void binary(Result &result, Left &left, Right &right, Function function) {
    check_arithmetic<Result, Left>();
    check_arithmetic<Result, Right>();
    // The simulator takes the three for one type.
    static_assert(std::is_same_v<Result, Left> && std::is_same_v<Result, Right>);
    check_extents(result, left);
    check_extents(result, right);
    instruction(PIPE_V, result, left, right);
    for (int row = 0; row < result.rows(); ++row)
        for (int col = 0; col < result.cols(); ++col)
            result.at(row, col) = rounded<typename Result::DType>(
                function(static_cast<double>(left.at(row, col)), static_cast<double>(right.at(row, col))));
}

template <typename Result, typename Operand, typename Function>
void unary(Result &result, Operand &operand, Function function) {
    check_arithmetic<Result, Operand>();
    check_extents(result, operand);
    instruction(PIPE_V, result, operand);
    for (int row = 0; row < result.rows(); ++row)
        for (int col = 0; col < result.cols(); ++col)
            result.at(row, col) = rounded<typename Result::DType>(function(static_cast<double>(operand.at(row, col))));
}

template <bool AlongRow, typename Result, typename Operand, typename Function>
void reduce(Result &result, Operand &operand, Function function) {
    using T = typename Operand::DType;
    static_assert(is_computed<T> && std::is_same_v<typename Result::DType, T>);
    static_assert(Operand::row_major);
    static_assert(AlongRow ? !Result::row_major && Result::Cols == 1 : Result::row_major);
    const int outer = AlongRow ? operand.rows() : operand.cols(), inner = AlongRow ? operand.cols() : operand.rows();
    if ((AlongRow ? result.rows() : result.cols()) != outer) throw std::runtime_error("a reduction of other extents");
    for (int index = 0; index < outer; ++index) {
        const auto element = [&](int at) -> T & { return AlongRow ? operand.at(index, at) : operand.at(at, index); };
        T total = element(0);
        for (int at = 1; at < inner; ++at)
            total = rounded<T>(function(static_cast<double>(total), static_cast<double>(element(at))));
        (AlongRow ? result.at(index, 0) : result.at(0, index)) = total;
    }
}

template <typename Result, typename Operand, typename Scratch, typename Function>
void reduce_rows(Result &result, Operand &operand, Scratch &scratch, Function function) {
    static_assert(std::is_same_v<typename Scratch::DType, typename Operand::DType>);
    begin_instruction(PIPE_V);
    operand.touch(PIPE_V, false);
    scratch.touch(PIPE_V, true);
    result.touch(PIPE_V, true);
    reduce<true>(result, operand, function);
}

template <typename Result, typename Operand, typename Function>
void reduce_columns(Result &result, Operand &operand, Function function) {
    instruction(PIPE_V, result, operand);
    reduce<false>(result, operand, function);
}

// `Column`: the vector has one element for each row.
template <bool Column, typename Result, typename Whole, typename Vector, typename Function>
void broadcast(Result &result, Whole &whole, Vector &vector, Function function) {
    check_arithmetic<Result, Whole>();
    static_assert(std::is_same_v<typename Result::DType, typename Vector::DType>);
    static_assert(Column ? !Vector::row_major : Vector::row_major);
    check_extents(result, whole);
    if (Column ? vector.rows() != result.rows() || vector.cols() != 1 : vector.cols() != result.cols())
        throw std::runtime_error("a vector of other extents");
    instruction(PIPE_V, result, whole, vector);
    for (int row = 0; row < result.rows(); ++row)
        for (int col = 0; col < result.cols(); ++col)
            result.at(row, col) = rounded<typename Result::DType>(
                function(static_cast<double>(whole.at(row, col)),
                         static_cast<double>(Column ? vector.at(row, 0) : vector.at(0, col))));
}

inline double sum(double a, double b) { return a + b; }
inline double difference(double a, double b) { return a - b; }
inline double product(double a, double b) { return a * b; }
inline double quotient(double a, double b) { return a / b; }
inline double larger(double a, double b) { return a > b || a != a ? a : b; }
inline double smaller(double a, double b) { return a < b || a != a ? a : b; }

template <typename Left, typename Right, typename Result>
void multiply(Result &result, Left &left, Right &right, bool add) {
    static_assert(Left::Loc == pto::TileType::Left && Right::Loc == pto::TileType::Right);
    static_assert(Result::Loc == pto::TileType::Acc);
    static_assert(std::is_same_v<typename Left::DType, typename Right::DType>);
    static_assert(std::is_same_v<typename Result::DType, int32_t> == is_integer<typename Left::DType>);
    if (left.cols() != right.rows() || result.rows() != left.rows() || result.cols() != right.cols())
        throw std::runtime_error("a product of other extents");
    begin_instruction(PIPE_M);
    left.touch(PIPE_M, false);
    right.touch(PIPE_M, false);
    // Additions to one accumulator follow one another in hardware.
    result.touch(PIPE_M, true);
    for (int row = 0; row < result.rows(); ++row)
        for (int col = 0; col < result.cols(); ++col) {
            double total = add ? static_cast<double>(result.at(row, col)) : 0.0;
            for (int inner = 0; inner < left.cols(); ++inner)
                total += static_cast<double>(left.at(row, inner)) * static_cast<double>(right.at(inner, col));
            result.at(row, col) = rounded<typename Result::DType>(total);
        }
}

template <typename Global>
void touch_global(const Global &window, bool write, int pipe) {
    for (int64_t row = 0; row < window.rows(); ++row) {
        const uint64_t begin = reinterpret_cast<uint64_t>(window.row(row));
        access(global_memory, begin, begin + window.cols() * sizeof(typename Global::DType), write, pipe);
    }
}

}  // namespace model

namespace pto {

template <typename T, typename Global>
void TLOAD(T &tile, const Global &window) {
    static_assert(T::Loc == TileType::Vec || T::Loc == TileType::Mat);
    static_assert(std::is_same_v<typename T::DType, typename Global::DType>);
    static_assert(T::Loc == TileType::Mat || T::row_major, "rows are transferred as rows");
    if (window.rows() != tile.rows() || window.cols() != tile.cols())
        throw std::runtime_error("a load of other extents");
    model::begin_instruction(PIPE_MTE2);
    model::touch_global(window, false, PIPE_MTE2);
    tile.touch(PIPE_MTE2, true);
    for (int row = 0; row < tile.rows(); ++row)
        for (int col = 0; col < tile.cols(); ++col) tile.at(row, col) = window.row(row)[col];
}

template <typename T, typename Global, AtomicType Atomic, ReluPreMode Relu = ReluPreMode::NoRelu>
void TSTORE(const Global &window, T &tile) {
    using Out = typename Global::DType;
    constexpr bool accumulator = T::Loc == TileType::Acc;
    static_assert(accumulator || T::Loc == TileType::Vec);
    static_assert(accumulator || (T::row_major && std::is_same_v<typename T::DType, Out>));
    static_assert(accumulator || Relu == ReluPreMode::NoRelu);
    if (window.rows() != tile.rows() || window.cols() != tile.cols())
        throw std::runtime_error("a store of other extents");
    const int pipe = accumulator ? PIPE_FIX : PIPE_MTE3;
    model::begin_instruction(pipe);
    tile.touch(pipe, false);
    model::touch_global(window, true, pipe);
    for (int row = 0; row < tile.rows(); ++row)
        for (int col = 0; col < tile.cols(); ++col) {
            Out &target = window.row(row)[col];
            const double held = Atomic == AtomicType::AtomicAdd ? static_cast<double>(target) : 0.0;
            double value = static_cast<double>(tile.at(row, col));
            if (Relu == ReluPreMode::NormalRelu && value < 0) value = 0;
            target = model::rounded<Out>(held + static_cast<double>(model::rounded<Out>(value)));
        }
}

template <typename T, typename Global>
void TSTORE(const Global &window, T &tile) {
    TSTORE<T, Global, AtomicType::AtomicNone>(window, tile);
}

#define MODEL_BINARY(NAME, FUNCTION)                                                                       \
    template <typename R, typename A, typename B>                                                          \
    void T##NAME(R &result, A &left, B &right) {                                                           \
        model::binary(result, left, right, FUNCTION);                                                      \
    }                                                                                                      \
    template <typename R, typename A>                                                                      \
    void T##NAME##S(R &result, A &left, typename A::DType right) {                                         \
        model::unary(result, left, [=](double x) { return FUNCTION(x, static_cast<double>(right)); });     \
    }                                                                                                      \
    template <typename R, typename A, typename B>                                                          \
    void TROWEXPAND##NAME(R &result, A &whole, B &vector) {                                                \
        model::broadcast<true>(result, whole, vector, FUNCTION);                                           \
    }                                                                                                      \
    template <typename R, typename A, typename B>                                                          \
    void TCOLEXPAND##NAME(R &result, A &whole, B &vector) {                                                \
        model::broadcast<false>(result, whole, vector, FUNCTION);                                          \
    }
MODEL_BINARY(ADD, model::sum)
MODEL_BINARY(SUB, model::difference)
MODEL_BINARY(MUL, model::product)
MODEL_BINARY(DIV, model::quotient)
MODEL_BINARY(MAX, model::larger)
MODEL_BINARY(MIN, model::smaller)
#undef MODEL_BINARY

template <typename R, typename A>
void TDIVS(R &result, typename A::DType left, A &right) {
    model::unary(result, right, [=](double x) { return static_cast<double>(left) / x; });
}

#define MODEL_UNARY(NAME, EXPRESSION)                                    \
    template <typename R, typename A>                                    \
    void T##NAME(R &result, A &operand) {                                \
        model::unary(result, operand, [](double x) { return EXPRESSION; }); \
    }
MODEL_UNARY(ABS, std::fabs(x))
MODEL_UNARY(EXP, std::exp(x))
MODEL_UNARY(LOG, std::log(x))
MODEL_UNARY(SQRT, std::sqrt(x))
MODEL_UNARY(RSQRT, 1.0 / std::sqrt(x))
MODEL_UNARY(RECIP, 1.0 / x)
MODEL_UNARY(RELU, x > 0 || x != x ? x : 0.0)
#undef MODEL_UNARY

#define MODEL_REDUCTION(NAME, FUNCTION)                          \
    template <typename R, typename A, typename S>                \
    void TROW##NAME(R &result, A &operand, S &scratch) {         \
        model::reduce_rows(result, operand, scratch, FUNCTION);  \
    }                                                            \
    template <typename R, typename A>                            \
    void TCOL##NAME(R &result, A &operand) {                     \
        model::reduce_columns(result, operand, FUNCTION);        \
    }
MODEL_REDUCTION(SUM, model::sum)
MODEL_REDUCTION(MAX, model::larger)
MODEL_REDUCTION(MIN, model::smaller)
MODEL_REDUCTION(PROD, model::product)
#undef MODEL_REDUCTION

template <typename R, typename A>
void TROWEXPAND(R &result, A &column) {
    static_assert(std::is_same_v<typename R::DType, typename A::DType> && R::row_major);
    if (column.rows() != result.rows()) throw std::runtime_error("a column of other extents");
    model::instruction(PIPE_V, result, column);
    for (int row = 0; row < result.rows(); ++row)
        for (int col = 0; col < result.cols(); ++col) result.at(row, col) = column.at(row, 0);
}

template <typename R, typename A>
void TCOLEXPAND(R &result, A &row_) {
    static_assert(std::is_same_v<typename R::DType, typename A::DType> && R::row_major && A::row_major);
    if (row_.cols() != result.cols()) throw std::runtime_error("a row of other extents");
    model::instruction(PIPE_V, result, row_);
    for (int row = 0; row < result.rows(); ++row)
        for (int col = 0; col < result.cols(); ++col) result.at(row, col) = row_.at(0, col);
}

template <typename R>
void TEXPANDS(R &result, typename R::DType value) {
    // In L1 it is a transfer, of whole tiles.
    static_assert(R::Loc == TileType::Mat || (R::Loc == TileType::Vec && R::row_major));
    model::instruction(R::Loc == TileType::Mat ? PIPE_MTE2 : PIPE_V, result);
    for (int row = 0; row < result.rows(); ++row)
        for (int col = 0; col < result.cols(); ++col) result.at(row, col) = value;
}

template <typename R, typename T, int Descending>
void TCI(R &result, T start) {
    static_assert(R::Rows == 1 && std::is_same_v<typename R::DType, T> && sizeof(T) <= 4 && sizeof(T) >= 2);
    model::instruction(PIPE_S, result);
    for (int col = 0; col < result.cols(); ++col) result.at(0, col) = Descending ? start - col : start + col;
}

// Indices count elements from the beginning of the operand.
template <typename R, typename A, typename I, typename S>
void TGATHER(R &result, A &operand, I &index, S &scratch) {
    static_assert(std::is_same_v<typename R::DType, typename A::DType> && sizeof(typename R::DType) >= 2);
    static_assert(sizeof(typename I::DType) == 4 && std::is_same_v<typename I::DType, typename S::DType>);
    static_assert(R::row_major && A::row_major && I::row_major);
    model::check_extents(result, index);
    model::instruction(PIPE_V, scratch, operand, index);
    result.touch(PIPE_V, true);
    for (int row = 0; row < result.rows(); ++row)
        for (int col = 0; col < result.cols(); ++col) {
            const int64_t place = index.at(row, col);
            if (place < 0 || place >= A::Rows * A::Cols) throw std::runtime_error("an index outside of its tile");
            result.at(row, col) = (&operand.at(0, 0))[place];
        }
}

template <typename R, typename A>
void TCVT(R &result, A &operand, RoundMode mode) {
    using T = typename R::DType;
    static_assert(R::row_major && A::row_major && !std::is_same_v<T, typename A::DType>);
    model::check_extents(result, operand);
    model::instruction(PIPE_V, result, operand);
    for (int row = 0; row < result.rows(); ++row)
        for (int col = 0; col < result.cols(); ++col) {
            double value = static_cast<double>(operand.at(row, col));
            if constexpr (model::is_integer<T> && !model::is_integer<typename A::DType>) {
                if (mode == RoundMode::CAST_RINT || mode == RoundMode::CAST_NONE) value = std::rint(value);
                if (mode == RoundMode::CAST_ROUND) value = std::round(value);
                if (mode == RoundMode::CAST_FLOOR) value = std::floor(value);
                if (mode == RoundMode::CAST_CEIL) value = std::ceil(value);
                if (mode == RoundMode::CAST_TRUNC) value = std::trunc(value);
                result.at(row, col) = model::saturated<T>(value);
            } else {
                result.at(row, col) = model::rounded<T>(value);
            }
        }
}

template <typename R, typename A>
void TEXTRACT(R &result, A &operand, int row_, int col_) {
    static_assert(std::is_same_v<typename R::DType, typename A::DType>);
    static_assert(A::Loc == TileType::Mat && (R::Loc == TileType::Left || R::Loc == TileType::Right));
    model::instruction(PIPE_MTE1, result, operand);
    for (int row = 0; row < result.rows(); ++row)
        for (int col = 0; col < result.cols(); ++col) result.at(row, col) = operand.at(row_ + row, col_ + col);
}

// From the accumulator to L1.
template <typename R, typename A, ReluPreMode Relu>
void TMOV(R &result, A &operand) {
    using T = typename R::DType;
    static_assert(A::Loc == TileType::Acc && R::Loc == TileType::Mat);
    static_assert(R::Rows == A::Rows && R::Cols == A::Cols, "tiles of different extents");
    static_assert(std::is_same_v<typename A::DType, float> && sizeof(T) == 2 && !model::is_integer<T>);
    model::check_extents(result, operand);
    model::instruction(PIPE_FIX, result, operand);
    for (int row = 0; row < result.rows(); ++row)
        for (int col = 0; col < result.cols(); ++col) {
            const double value = static_cast<double>(operand.at(row, col));
            result.at(row, col) = model::rounded<T>(Relu == ReluPreMode::NormalRelu && value < 0 ? 0.0 : value);
        }
}

// Within the memory of a vector core, from L1 to the operands of the cube, or back from the accumulator.
template <typename R, typename A>
void TMOV(R &result, A &operand) {
    static_assert(R::Rows == A::Rows && R::Cols == A::Cols, "tiles of different extents");
    model::check_extents(result, operand);
    if constexpr (A::Loc == TileType::Acc) {
        TMOV<R, A, ReluPreMode::NoRelu>(result, operand);
    } else if constexpr (R::Loc == TileType::Vec) {
        static_assert(std::is_same_v<typename R::DType, typename A::DType>);
        static_assert(A::Loc == TileType::Vec && R::row_major == A::row_major);
        model::instruction(PIPE_V, result, operand);
        for (int row = 0; row < result.rows(); ++row)
            for (int col = 0; col < result.cols(); ++col) result.at(row, col) = operand.at(row, col);
    } else {
        TEXTRACT(result, operand, 0, 0);
    }
}

template <typename C, typename A, typename B>
void TMATMUL(C &result, A &left, B &right) {
    model::multiply(result, left, right, false);
}

template <typename C, typename A, typename B>
void TMATMUL_ACC(C &result, C &added, A &left, B &right) {
    if (result.address != added.address) throw std::runtime_error("an addition to another accumulator");
    model::multiply(result, left, right, true);
}

}  // namespace pto

struct cache_line_t {
    static constexpr int SINGLE_CACHE_LINE = 0;
};
struct dcci_dst_t {
    static constexpr int CACHELINE_OUT = 0;
};
inline void dcci(void *, int, int) {}
