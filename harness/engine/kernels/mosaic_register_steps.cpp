// tpu: arrays seen as words and registers.
#include <algorithm>

#include "golden/base/failures.h"
#include "harness/engine/checked_attributes.h"
#include "harness/engine/kernels/mosaic_steps.h"
#include "harness/engine/operations/data_movement.h"

namespace vintage::harness {
using namespace golden;

namespace {

using Tensors = std::span<const Tensor* const>;

// Between types of other widths, neighbours along the dimension before the last share a word, the
// first in its low bits.
Result<KernelStep> makeBitcast(const StepRequest& request) {
  const ValueType &from = request.operandType(0), &to = request.resultType();
  const size_t narrow = std::min(byteWidth(from.element), byteWidth(to.element));
  const size_t wide = std::max(byteWidth(from.element), byteWidth(to.element));
  if (narrow == wide)
    return tensorStep(
        request, [type = to.element](Tensors operands) { return retyped(*operands[0], type); });
  const size_t rank = to.shape.size();
  if (rank < 2 || from.shape.size() != rank || bitWidth(from.element) < 8 ||
      bitWidth(to.element) < 8)
    return unsupported("{} as {}", from.text, to.text);
  const bool splits = byteWidth(to.element) == narrow;
  const auto ratio = static_cast<int64_t>(wide / narrow);
  const Shape& words = splits ? from.shape : to.shape;
  // As parts: [outer rows, row of words, part, column] against [… row, column, part].
  Shape outer(words.begin(), words.end() - 1);
  const int64_t rows = elementCount(outer), columns = words.back();
  const Shape stacked{rows, ratio, columns}, joined{rows, columns, ratio};
  const ElementType part = narrow == 1   ? ElementType::kUi8
                           : narrow == 2 ? ElementType::kUi16
                                         : ElementType::kUi32;
  return tensorStep(
      request, [=, type = to.element, shape = to.shape](Tensors operands) -> Result<Tensor> {
        ASSIGN_OR_RETURN(const Tensor parts,
                         Tensor::fromBytes(part, splits ? joined : stacked, operands[0]->bytes()));
        ASSIGN_OR_RETURN(const Tensor moved, transposeTensor(parts, {0, 2, 1}));
        return Tensor::fromBytes(type, shape, moved.bytes());
      });
}

// Registers of 8 by 128 elements of 32 bits, and the array that they tile row by row.
Status checkTiles(const StepRequest& request, const ValueType& whole, size_t tiles,
                  std::string_view layout) {
  const Shape& shape = whole.shape;
  const std::string stated = fmt::format("{}", fmt::join(shape, "x"));
  const auto* layouts = attributeField<AttributeList>(request.operation.attributes, layout);
  const auto* text =
      layouts && layouts->size() == 1 ? std::get_if<std::string>(&layouts->front().value) : nullptr;
  if (text && text->find("{0,0},(8,128)") == std::string::npos)
    return unsupported("the layout {}", *text);
  if (shape.size() != 2 || shape[0] % 8 != 0 || shape[1] % 128 != 0 ||
      static_cast<size_t>(shape[0] / 8 * (shape[1] / 128)) != tiles)
    return unsupported("{} registers for an array of {}", tiles, stated);
  return {};
}

Result<KernelStep> makeRoll(const StepRequest& request) {
  const ValueType& type = request.resultType();
  RETURN_IF_ERROR(checkTiles(request, type, request.operands(), "out_layout"));
  return tensorStep(
      request, [shape = type.shape, element = type.element](Tensors tiles) -> Result<Tensor> {
        ASSIGN_OR_RETURN(auto whole, Tensor::makeUninitialized(element, shape));
        const size_t width = byteWidth(element), across = static_cast<size_t>(shape[1] / 128);
        for (size_t i = 0; i < tiles.size(); ++i) {
          if (!tiles[i]->has(element, {8, 128}))
            return badInput("a register of {}", describe(*tiles[i]));
          stridedCopy(
              Shape{8, 128}, width, {tiles[i]->bytes().data(), {128, 1}},
              {whole.mutableBytes().data() +
                   (i / across * 8 * static_cast<size_t>(shape[1]) + i % across * 128) * width,
               {shape[1], 1}});
        }
        return whole;
      });
}

Result<KernelStep> makeUnroll(const StepRequest& request) {
  const ValueType& type = request.operandType(0);
  RETURN_IF_ERROR(checkTiles(request, type, request.operation.results.size(), "in_layout"));
  return KernelStep([source = request.operand(0), results = request.operation.results,
                     across = type.shape[1] / 128](KernelFrame& frame) -> Status {
    ASSIGN_OR_RETURN(const Tensor* whole, frame.tensor(source));
    for (size_t i = 0; i < results.size(); ++i) {
      const int64_t row = static_cast<int64_t>(i) / across * 8,
                    column = static_cast<int64_t>(i) % across * 128;
      ASSIGN_OR_RETURN(auto tile,
                       sliceTensor(*whole, {row, column}, {row + 8, column + 128}, {1, 1}));
      frame[results[i]] = std::move(tile);
    }
    return {};
  });
}

constexpr StepEntry kMosaicRegister[] = {
    {"tpu.bitcast", makeBitcast, 1, 1},
    {"tpu.bitcast_vreg", makeBitcast, 1, 1},
    {"tpu.roll_vectors", makeRoll, kAnyNumber, 1},
    {"tpu.unroll_vectors", makeUnroll, 1, kAnyNumber},
};

}  // namespace

StepTable mosaicRegisterSteps() { return kMosaicRegister; }

}  // namespace vintage::harness
