// Arithmetic on whole arrays, for the steps of kernels.
#include <algorithm>
#include <charconv>

#include "golden/base/failures.h"
#include "harness/engine/checked_attributes.h"
#include "harness/engine/kernels/kernel_plan.h"
#include "harness/engine/operations/data_movement.h"

namespace vintage::harness {
using namespace golden;

Result<KernelLoop> kernelLoop(std::string_view stablehlo, const std::vector<ElementType>& operands,
                              ElementType result, AttributeMap attributes) {
  Operation operation;
  operation.name = stablehlo;
  operation.attributes = std::move(attributes);
  auto made = makeElementLoop({operation, operands, result});
  if (!made) return unsupported("there is no loop for {}", stablehlo);
  KernelLoop loop;
  ASSIGN_OR_RETURN(loop.run, *std::move(made));
  for (ElementType type : operands) loop.widths.push_back(byteWidth(type));
  loop.resultWidth = byteWidth(result);
  return loop;
}

Result<Tensor> applyLoop(const KernelLoop& loop, std::span<const Tensor* const> operands,
                         ElementType result) {
  if (operands.size() != loop.widths.size() || byteWidth(result) != loop.resultWidth)
    return badInput("it takes {} operands", loop.widths.size());
  const Tensor* model = operands[0];
  for (size_t i = 0; i < operands.size(); ++i)
    if (byteWidth(operands[i]->type()) != loop.widths[i])
      return badInput("operand {} is {}", i, describe(*operands[i]));
  for (const Tensor* each : operands)
    if (each->rank() > 0) model = each;
  std::vector<const void*> data;
  std::vector<Tensor> repeated;
  repeated.reserve(operands.size());
  for (const Tensor* each : operands) {
    if (each->shape() != model->shape()) {
      if (each->rank() > 0)
        return badInput("operands are {} and {}", describe(*model), describe(*each));
      ASSIGN_OR_RETURN(auto tensor,
                       Tensor::makeUninitialized(each->type(), model->shape(), kLargestArray));
      fill(tensor.mutableBytes(), each->bytes());
      each = &repeated.emplace_back(std::move(tensor));
    }
    data.push_back(each->bytes().data());
  }
  ASSIGN_OR_RETURN(auto made, Tensor::makeUninitialized(result, model->shape(), kLargestArray));
  loop.run(data, made.mutableBytes().data(), static_cast<size_t>(made.size()));
  return made;
}

// Halves the rows until one is left: few calls of the loop, and a sum that loses less than one that
// adds element by element.
Result<Tensor> foldTensor(const KernelLoop& loop, const Tensor& tensor,
                          const std::vector<int64_t>& dimensions) {
  const size_t width = byteWidth(tensor.type());
  if (loop.widths != std::vector<size_t>{width, width} || loop.resultWidth != width)
    return badInput("the result is not of the type of {}", describe(tensor));
  std::vector<int64_t> order = dimensions, kept;
  for (int64_t i = 0; i < tensor.rank(); ++i)
    if (!hasDimension(dimensions, i)) kept.push_back(i);
  order.insert(order.end(), kept.begin(), kept.end());
  if (!isPermutation(order, tensor.rank()))
    return badInput("the dimensions {} are not those of {}", fmt::join(dimensions, ", "),
                    describe(tensor));
  ASSIGN_OR_RETURN(auto work, transposeTensor(tensor, order));
  const Shape shape = chosen(tensor.shape(), kept);
  const int64_t columns = elementCount(shape);
  if (work.size() == 0) return badInput("there is nothing to reduce in {}", describe(tensor));
  int64_t rows = work.size() / columns;
  const size_t row = static_cast<size_t>(columns) * width;
  std::byte* const data = work.mutableBytes().data();
  while (rows > 1) {
    const int64_t half = rows / 2;
    const void* const operands[] = {data, data + static_cast<size_t>(rows - half) * row};
    loop.run(operands, data, static_cast<size_t>(half * columns));
    rows -= half;
  }
  return Tensor::fromBytes(tensor.type(), shape, std::span(data, row));
}

Result<Tensor> retyped(Tensor tensor, ElementType type) {
  if (tensor.type() == type) return tensor;
  return Tensor::fromBytes(type, tensor.shape(), tensor.bytes());
}

ElementType unsignedOf(ElementType type) {
  switch (type) {
    case ElementType::kI2:
      return ElementType::kUi2;
    case ElementType::kI4:
      return ElementType::kUi4;
    case ElementType::kI8:
      return ElementType::kUi8;
    case ElementType::kI16:
      return ElementType::kUi16;
    case ElementType::kI32:
      return ElementType::kUi32;
    case ElementType::kI64:
      return ElementType::kUi64;
    default:
      return type;
  }
}

KernelStep tensorStep(const StepRequest& request, TensorFunction function) {
  return [function = std::move(function), operands = request.operation.operands,
          result = request.result(), type = request.resultType()](KernelFrame& frame) -> Status {
    std::vector<const Tensor*> tensors(operands.size());
    for (size_t i = 0; i < operands.size(); ++i) {
      ASSIGN_OR_RETURN(tensors[i], frame.tensor(operands[i]));
    }
    ASSIGN_OR_RETURN(auto made, function(tensors));
    if (!made.has(type.element, type.shape))
      return badInput("gives {} where {} is declared", describe(made), type.text);
    RETURN_IF_ERROR(frame.run().spend(made.size()));
    frame[result] = std::move(made);
    return {};
  };
}

Result<KernelStep> stablehloStep(const StepRequest& request, std::string_view operation) {
  std::vector<ElementType> types;
  for (size_t i = 0; i < request.operands(); ++i) types.push_back(request.operandType(i).element);
  const ElementType type = request.resultType().element;
  ASSIGN_OR_RETURN(auto loop, kernelLoop(operation, types, type));
  return tensorStep(request, [loop, type](std::span<const Tensor* const> operands) {
    return applyLoop(loop, operands, type);
  });
}

Result<std::vector<std::vector<ValueId>>> operandGroups(const Operation& operation, size_t count) {
  ASSIGN_OR_RETURN(const auto sizes, integersOf(operation, "operandSegmentSizes"));
  std::vector<std::vector<ValueId>> groups;
  size_t from = 0;
  for (int64_t size : sizes) {
    if (size < 0 || static_cast<size_t>(size) > operation.operands.size() - from) break;
    const auto begin = operation.operands.begin() + static_cast<std::ptrdiff_t>(from);
    groups.emplace_back(begin, begin + size);
    from += static_cast<size_t>(size);
  }
  if (groups.size() != count || from != operation.operands.size())
    return badInput("its {} operands are not in {} groups: operandSegmentSizes is {}",
                    operation.operands.size(), count, fmt::join(sizes, ", "));
  return groups;
}

std::string keywordOf(const AttributeMap& attributes, std::string_view name) {
  const auto* text = attributeField<std::string>(attributes, name);
  if (!text) return {};
  const size_t from = text->find('<'), to = text->rfind('>');
  if (from == std::string::npos || to == std::string::npos || to < from) return *text;
  return text->substr(from + 1, to - from - 1);
}

std::vector<std::vector<int64_t>> listsIn(std::string_view text) {
  std::vector<std::vector<int64_t>> lists;
  for (size_t at = text.find('['); at != std::string_view::npos; at = text.find('[', at)) {
    std::vector<int64_t>& list = lists.emplace_back();
    const size_t end = std::min(text.find(']', at), text.size());
    while (++at < end) {
      int64_t number = 0;
      const auto [rest, error] = std::from_chars(text.data() + at, text.data() + end, number);
      if (error != std::errc()) continue;
      list.push_back(number);
      at = static_cast<size_t>(rest - text.data());
    }
  }
  return lists;
}

}  // namespace vintage::harness
