#include "harness/engine/custom_calls/registry.h"

#include <algorithm>

#include "golden/base/failures.h"
#include "harness/engine/operations/data_movement.h"

namespace vintage::harness {
using namespace golden;

namespace {

using Layout = std::vector<int64_t>;

// A tensor in the order of `layout`, or back from it, under the shape that it has.
Result<Tensor> relayout(const Tensor& source, std::span<const int64_t> layout, bool toPhysical) {
  if (!isPermutation(layout, source.rank()))
    return badInput("The layout {{{}}} does not order the dimensions of {}.",
                    fmt::join(layout, ","), describe(source));
  // From major to minor.
  std::vector<int64_t> order(layout.rbegin(), layout.rend());
  if (std::ranges::is_sorted(order)) return source;
  Tensor permuted = source;
  if (!toPhysical) {
    std::vector<int64_t> back(order.size());
    for (size_t i = 0; i < order.size(); ++i)
      back[static_cast<size_t>(order[i])] = static_cast<int64_t>(i);
    ASSIGN_OR_RETURN(permuted, source.reshaped(chosen(source.shape(), order)));
    order = std::move(back);
  }
  ASSIGN_OR_RETURN(const auto moved, transposeTensor(permuted, order));
  return moved.reshaped(source.shape());
}

// The list of layouts, or nothing where the attribute is absent.
Result<std::vector<Layout>> layouts(const Operation& operation, std::string_view name) {
  std::vector<Layout> all;
  const auto* list = attributeField<AttributeList>(operation.attributes, name);
  for (size_t i = 0; list && i < list->size(); ++i) {
    AttributeMap one{{"layout", (*list)[i]}};
    CheckedAttributes read(one, fmt::format("{}[{}]", name, i));
    all.push_back(read.integers("layout"));
    RETURN_IF_ERROR(read.status());
  }
  return all;
}

struct WrappedCall {
  std::string name;
  RawKernel kernel;
  std::vector<Layout> operandLayouts, resultLayouts;  // Empty: row-major.
  std::vector<int64_t> shapeOperands;                 // Positions; one for each result.
  std::vector<ValueType> resultTypes;                 // Tuples flattened.
  std::vector<size_t> tupleSizes;                     // Of the operation's results; 0: no tuple.
};

Status checkResult(const WrappedCall& call, size_t index, const Tensor& tensor) {
  const ValueType& type = call.resultTypes[index];
  const bool fits =
      type.kind == ValueType::Kind::kUnrankedTensor || agree(type.shape, tensor.shape());
  if (fits && type.element == tensor.type()) return {};
  return badInput(
      "custom_call @{}: result {} is declared as {}, but for these operands the target returns {}.",
      call.name, index, type.text.empty() ? describe(type.element, type.shape) : type.text,
      describe(tensor));
}

Result<Tensor> finishResult(const WrappedCall& call, size_t index, std::optional<Tensor> produced,
                            const KernelCall& kernelCall) {
  if (!produced) {
    Shape shape = call.resultTypes[index].shape;
    if (index < call.shapeOperands.size()) {
      const auto operand = static_cast<size_t>(call.shapeOperands[index]);
      ASSIGN_OR_RETURN(shape, within(call.name, integerOperand(kernelCall, operand)));
    }
    return Tensor::make(call.resultTypes[index].element, std::move(shape));
  }
  if (index < call.resultLayouts.size())
    produced = fromLayout(*produced, call.resultLayouts[index]).value_or(*produced);
  RETURN_IF_ERROR(checkResult(call, index, *produced));
  return *std::move(produced);
}

Status run(const WrappedCall& call, KernelCall& kernelCall) {
  std::vector<Tensor> operands;
  for (size_t i = 0; i < kernelCall.operands.size(); ++i) {
    if (std::ranges::find(call.shapeOperands, static_cast<int64_t>(i)) != call.shapeOperands.end())
      continue;
    const Tensor& tensor = kernelCall.operands[i].tensor;
    if (i < call.operandLayouts.size()) {
      ASSIGN_OR_RETURN(operands.emplace_back(), within("custom_call @" + call.name,
                                                       toLayout(tensor, call.operandLayouts[i])));
    } else {
      operands.push_back(tensor);
    }
  }
  ASSIGN_OR_RETURN(auto results, within("custom_call @" + call.name, call.kernel(operands)));
  std::vector<Value> flat;
  for (size_t i = 0; i < call.resultTypes.size(); ++i) {
    auto produced = i < results.size() ? std::move(results[i]) : std::nullopt;
    ASSIGN_OR_RETURN(flat.emplace_back().tensor,
                     finishResult(call, i, std::move(produced), kernelCall));
  }
  size_t next = 0;
  for (size_t i = 0; i < call.tupleSizes.size(); ++i) {
    if (call.tupleSizes[i] == 0) {
      kernelCall.results[i] = std::move(flat[next++]);
      continue;
    }
    Value& tuple = kernelCall.results[i] = Value{};
    tuple.isTuple = true;
    for (size_t j = 0; j < call.tupleSizes[i]; ++j)
      tuple.elements.push_back(std::move(flat[next++]));
  }
  return {};
}

}  // namespace

Result<Tensor> toLayout(const Tensor& rowMajor, std::span<const int64_t> layout) {
  return relayout(rowMajor, layout, true);
}

Result<Tensor> fromLayout(const Tensor& physical, std::span<const int64_t> layout) {
  return relayout(physical, layout, false);
}

Result<Kernel> wrapRawKernel(const std::string& name, const KernelRequest& request,
                             RawKernel kernel) {
  WrappedCall call;
  call.name = name;
  call.kernel = std::move(kernel);
  ASSIGN_OR_RETURN(call.operandLayouts,
                   within("custom_call @" + name, layouts(request.operation, "operand_layouts")));
  ASSIGN_OR_RETURN(call.resultLayouts,
                   within("custom_call @" + name, layouts(request.operation, "result_layouts")));
  ASSIGN_OR_RETURN(call.shapeOperands, integersOf(request.operation, "indices_of_shape_operands",
                                                  std::vector<int64_t>{}));
  for (const ValueType& type : request.resultTypes) {
    const bool isTuple = type.kind == ValueType::Kind::kTuple;
    call.tupleSizes.push_back(isTuple ? type.elements.size() : 0);
    if (!isTuple) call.resultTypes.push_back(type);
    for (const ValueType& element : type.elements)
      if (isTuple) call.resultTypes.push_back(element);
  }
  for (size_t i = 0; i < call.resultLayouts.size() && i < call.resultTypes.size(); ++i)
    if (!isPermutation(call.resultLayouts[i], std::ssize(call.resultTypes[i].shape)))
      return badInput(
          "custom_call @{}: result_layouts[{}] does not order the {} dimensions of its result.",
          name, i, call.resultTypes[i].shape.size());
  for (int64_t position : call.shapeOperands)
    if (position < 0 || position >= std::ssize(request.operandTypes))
      return badInput("custom_call @{}: indices_of_shape_operands names operand {} of {}.", name,
                      position, request.operandTypes.size());
  return Kernel([call = std::move(call)](KernelCall& kernelCall) { return run(call, kernelCall); });
}

}  // namespace vintage::harness
