#include "harness/engine/custom_calls/registry.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <numeric>

#include "golden/base/failures.h"
#include "harness/engine/checked_attributes.h"

namespace vintage::harness {
using namespace golden;

namespace {

using Layout = std::vector<int64_t>;

bool isRowMajor(std::span<const int64_t> layout) {
  for (size_t i = 0; i < layout.size(); ++i) {
    if (layout[i] != static_cast<int64_t>(layout.size() - 1 - i)) return false;
  }
  return true;
}

bool isPermutation(std::span<const int64_t> layout) {
  std::vector<bool> seen(layout.size());
  for (int64_t dimension : layout) {
    if (dimension < 0 || dimension >= static_cast<int64_t>(layout.size()) || seen[dimension]) {
      return false;
    }
    seen[dimension] = true;
  }
  return true;
}

// Walks the elements in the order of `layout`, and gives each one's place in
// row-major order.
template <typename Visit>
void walkLayout(const Shape& shape, std::span<const int64_t> layout, Visit visit) {
  const size_t rank = shape.size();
  std::vector<int64_t> rowMajorStride(rank, 1);
  for (size_t i = rank; i-- > 1;) rowMajorStride[i - 1] = rowMajorStride[i] * shape[i];
  std::vector<int64_t> index(rank, 0);
  const int64_t count = elementCount(shape);
  int64_t place = 0;
  for (int64_t physical = 0; physical < count; ++physical) {
    visit(physical, place);
    for (int64_t dimension : layout) {
      place += rowMajorStride[dimension];
      if (++index[dimension] < shape[dimension]) break;
      place -= rowMajorStride[dimension] * shape[dimension];
      index[dimension] = 0;
    }
  }
}

Result<Tensor> relayout(const Tensor& source, std::span<const int64_t> layout, bool toPhysical) {
  if (layout.size() != source.shape().size() || !isPermutation(layout)) {
    return badInput("The layout {{{}}} does not order the dimensions of {}.",
                    fmt::join(layout, ","), describe(source));
  }
  if (isRowMajor(layout)) return source;
  ASSIGN_OR_RETURN(auto target, Tensor::makeUninitialized(source.type(), source.shape()));
  const size_t width = byteWidth(source.type());
  const std::byte* from = source.bytes().data();
  std::byte* to = target.mutableBytes().data();
  walkLayout(source.shape(), layout, [&](int64_t physical, int64_t rowMajor) {
    const int64_t reading = toPhysical ? rowMajor : physical;
    const int64_t writing = toPhysical ? physical : rowMajor;
    std::memcpy(to + writing * width, from + reading * width, width);
  });
  return target;
}

// The list of layouts, or nothing where the attribute is absent.
Result<std::vector<Layout>> layouts(const Operation& operation, std::string_view name) {
  std::vector<Layout> all;
  const auto found = operation.attributes.find(name);
  if (found == operation.attributes.end()) return all;
  const auto* list = std::get_if<AttributeList>(&found->second.value);
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

Result<Shape> shapeOf(const Value& value, const std::string& name) {
  const Tensor& tensor = value.tensor;
  Shape shape;
  if (tensor.type() == ElementType::kI32) {
    const auto values = tensor.values<int32_t>();
    shape.assign(values.begin(), values.end());
  } else if (tensor.type() == ElementType::kI64) {
    const auto values = tensor.values<int64_t>();
    shape.assign(values.begin(), values.end());
  } else {
    return badInput("{}: a shape operand is {}; i32 or i64 is needed.", name, describe(tensor));
  }
  return shape;
}

Status checkResult(const WrappedCall& call, size_t index, const Tensor& tensor) {
  const ValueType& type = call.resultTypes[index];
  bool fits =
      type.kind == ValueType::Kind::kUnrankedTensor || type.shape.size() == tensor.shape().size();
  for (size_t i = 0; fits && i < type.shape.size(); ++i) {
    fits = type.shape[i] == kDynamicDimension || type.shape[i] == tensor.shape()[i];
  }
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
      ASSIGN_OR_RETURN(shape, shapeOf(kernelCall.operands[call.shapeOperands[index]], call.name));
    }
    return Tensor::make(call.resultTypes[index].element, std::move(shape));
  }
  if (index < call.resultLayouts.size()) {
    produced = fromLayout(*produced, call.resultLayouts[index]).value_or(*produced);
  }
  if (auto status = checkResult(call, index, *produced); !status) {
    return tl::unexpected(status.error());
  }
  return *std::move(produced);
}

Value plainValue(Tensor tensor) {
  Value value;
  value.tensor = std::move(tensor);
  return value;
}

Status run(const WrappedCall& call, KernelCall& kernelCall) {
  std::vector<Tensor> operands;
  for (size_t i = 0; i < kernelCall.operands.size(); ++i) {
    if (std::ranges::find(call.shapeOperands, static_cast<int64_t>(i)) !=
        call.shapeOperands.end()) {
      continue;
    }
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
    ASSIGN_OR_RETURN(auto finished, finishResult(call, i, std::move(produced), kernelCall));
    flat.push_back(plainValue(std::move(finished)));
  }
  size_t next = 0;
  for (size_t i = 0; i < call.tupleSizes.size(); ++i) {
    if (call.tupleSizes[i] == 0) {
      kernelCall.results[i] = std::move(flat[next++]);
      continue;
    }
    Value tuple;
    tuple.isTuple = true;
    for (size_t j = 0; j < call.tupleSizes[i]; ++j)
      tuple.elements.push_back(std::move(flat[next++]));
    kernelCall.results[i] = std::move(tuple);
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
  ASSIGN_OR_RETURN(auto operandLayouts,
                   within("custom_call @" + name, layouts(request.operation, "operand_layouts")));
  ASSIGN_OR_RETURN(auto resultLayouts,
                   within("custom_call @" + name, layouts(request.operation, "result_layouts")));
  call.operandLayouts = std::move(operandLayouts);
  call.resultLayouts = std::move(resultLayouts);
  ASSIGN_OR_RETURN(call.shapeOperands, integersOf(request.operation, "indices_of_shape_operands",
                                                  std::vector<int64_t>{}));
  for (const ValueType& type : request.resultTypes) {
    const bool isTuple = type.kind == ValueType::Kind::kTuple;
    call.tupleSizes.push_back(isTuple ? type.elements.size() : 0);
    if (!isTuple) call.resultTypes.push_back(type);
    for (const ValueType& element : type.elements) {
      if (isTuple) call.resultTypes.push_back(element);
    }
  }
  for (size_t i = 0; i < call.resultLayouts.size() && i < call.resultTypes.size(); ++i) {
    if (call.resultLayouts[i].size() != call.resultTypes[i].shape.size() ||
        !isPermutation(call.resultLayouts[i])) {
      return badInput(
          "custom_call @{}: result_layouts[{}] does not order the {} dimensions of its result.",
          name, i, call.resultTypes[i].shape.size());
    }
  }
  for (int64_t position : call.shapeOperands) {
    if (position < 0 || position >= static_cast<int64_t>(request.operandTypes.size())) {
      return badInput("custom_call @{}: indices_of_shape_operands names operand {} of {}.", name,
                      position, request.operandTypes.size());
    }
  }
  return Kernel([call = std::move(call)](KernelCall& kernelCall) { return run(call, kernelCall); });
}

}  // namespace vintage::harness
