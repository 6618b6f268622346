#include "harness/engine/kernels/mosaic_windows.h"

#include <algorithm>
#include <limits>

#include "golden/base/failures.h"
#include "harness/engine/operations/data_movement.h"

namespace vintage::harness {
using namespace golden;

Result<Tensor> signless(Tensor tensor) {
  for (ElementType type : {ElementType::kI8, ElementType::kI16, ElementType::kI32,
                           ElementType::kI64, ElementType::kI4, ElementType::kI2})
    if (unsignedOf(type) == tensor.type()) return retyped(std::move(tensor), type);
  return tensor;
}

Result<Tensor> unwrittenTensor(ElementType type, const Shape& shape) {
  ASSIGN_OR_RETURN(auto tensor, Tensor::make(type, shape, kLargestArray));
  ASSIGN_OR_RETURN(auto loop,
                   kernelLoop("stablehlo.convert",
                              {isFloat(type) ? ElementType::kF32 : ElementType::kI64}, type));
  std::vector<std::byte> element(byteWidth(type));
  const float nan = std::numeric_limits<float>::quiet_NaN();
  int64_t lowest = 0;
  if (isSignedInteger(type) && bitWidth(type) < 64) lowest = -(int64_t{1} << (bitWidth(type) - 1));
  const void* const value[] = {isFloat(type) ? static_cast<const void*>(&nan) : &lowest};
  loop.run(value, element.data(), 1);
  if (tensor.size() > 0) fill(tensor.mutableBytes(), element);
  return tensor;
}

Tensor indexTensor(int64_t index) {
  Tensor tensor(ElementType::kI32, {});
  tensor.mutableValues<int32_t>()[0] = static_cast<int32_t>(index);
  return tensor;
}

void nextStep(const std::vector<int64_t>& bounds, std::vector<int64_t>& step) {
  for (size_t i = step.size(); i-- > 0;) {
    if (++step[i] < bounds[i]) return;
    step[i] = 0;
  }
}

Result<KernelValue> scratchMemory(const ValueType& type, std::string_view which) {
  if (type.kind != ValueType::Kind::kBuffer)
    return badInput("scratch {} is {}, not a memory", which, type.text);
  const bool counts = type.text.find("semaphore") != std::string::npos;
  using Content = KernelMemory::Content;
  ASSIGN_OR_RETURN(auto content, counts ? Tensor::make(ElementType::kI64, type.shape)
                                        : unwrittenTensor(type.element, type.shape));
  return KernelValue(MemoryView::whole(std::make_shared<KernelMemory>(
      fmt::format("{} {}", counts ? "semaphore" : "scratch", which), std::move(content),
      counts ? Content::kWritten : Content::kUnwritten)));
}

Result<OperandWindows> OperandWindows::make(const MosaicOperand& operand,
                                            std::shared_ptr<KernelMemory> array, bool isOutput) {
  const Tensor& tensor = array->tensor();
  // XLA keeps predicates as numbers of 32 bits for Mosaic; JAX converts them before the call.
  if (byteWidth(tensor.type()) != byteWidth(operand.element) ||
      isFloat(tensor.type()) != isFloat(operand.element))
    return badInput("{} is {}, and the kernel takes {}", array->name(), describe(tensor),
                    describe(operand.element, operand.window));
  if (operand.isWhole && tensor.shape() != operand.window)
    return badInput("{} is {}, and the kernel takes it whole as {}", array->name(),
                    describe(tensor), describe(operand.element, operand.window));
  if (tensor.shape().size() != operand.window.size())
    return badInput("{} is {}, and its window has {} dimensions", array->name(), describe(tensor),
                    operand.window.size());
  OperandWindows windows;
  windows.operand_ = &operand;
  windows.array_ = std::move(array);
  windows.isOutput_ = isOutput;
  return windows;
}

Result<std::vector<int64_t>> OperandWindows::place(const KernelValues& indices,
                                                   const KernelValues& prefetched,
                                                   MosaicRun& run) const {
  KernelValues arguments = indices;
  arguments.insert(arguments.end(), prefetched.begin(), prefetched.end());
  ASSIGN_OR_RETURN(const auto given, operand_->transform->call(std::move(arguments), run));
  std::vector<int64_t> starts;
  const Shape& shape = array_->tensor().shape();
  for (size_t i = 0; i < given.size(); ++i) {
    if (!given[i].tensor || given[i].tensor->size() != 1)
      return badInput("a window's index is no number");
    const int64_t index = integerElement(*given[i].tensor, 0);
    const int64_t size = operand_->window[i];
    int64_t start = 0;
    if (__builtin_mul_overflow(index, operand_->countsElements ? 1 : size, &start) ||
        __builtin_sub_overflow(start, operand_->padding[i], &start) || start <= -size ||
        start >= std::max<int64_t>(shape[i], 1))
      return badInput(
          "@{} places the window of {} out of bounds: index {} of dimension {}, where windows of "
          "{} lie in {} elements",
          operand_->transform->source->name, array_->name(), index, i, size, shape[i]);
    starts.push_back(start);
  }
  return starts;
}

Result<OperandWindows::Overlap> OperandWindows::overlap() const {
  const Shape& shape = array_->tensor().shape();
  std::vector<int64_t> inArray, inWindow;
  Shape sizes;
  for (size_t i = 0; i < shape.size(); ++i) {
    const int64_t from = std::max<int64_t>((*starts_)[i], 0);
    const int64_t to = std::min(shape[i], (*starts_)[i] + operand_->window[i]);
    inArray.push_back(from);
    inWindow.push_back(from - (*starts_)[i]);
    sizes.push_back(std::max<int64_t>(to - from, 0));
  }
  ASSIGN_OR_RETURN(auto array, MemoryView::whole(array_).part(inArray, sizes, {}));
  ASSIGN_OR_RETURN(auto window, MemoryView::whole(window_).part(inWindow, sizes, {}));
  return Overlap{std::move(array), std::move(window)};
}

Result<MemoryView> OperandWindows::at(const KernelValues& indices, const KernelValues& prefetched,
                                      MosaicRun& run) {
  if (operand_->isWhole) {
    MemoryView view = MemoryView::whole(array_);
    view.type = operand_->element;
    return view;
  }
  ASSIGN_OR_RETURN(auto starts, place(indices, prefetched, run));
  if (starts != starts_) {
    RETURN_IF_ERROR(writeBack());
    starts_ = std::move(starts);
    ASSIGN_OR_RETURN(auto content, unwrittenTensor(operand_->element, operand_->window));
    RETURN_IF_ERROR(run.spend(content.size()));
    // Beyond the array's edge a kernel reads what it may not use, which is no error of its own.
    window_ = std::make_shared<KernelMemory>(
        "the window of " + array_->name(), std::move(content),
        isOutput_ ? KernelMemory::Content::kUnwritten : KernelMemory::Content::kWritten);
    if (!isOutput_) {
      ASSIGN_OR_RETURN(const auto same, overlap());
      ASSIGN_OR_RETURN(auto tensor, same.array.read());
      ASSIGN_OR_RETURN(tensor, retyped(std::move(tensor), operand_->element));
      RETURN_IF_ERROR(same.window.write(tensor));
    }
  }
  return MemoryView::whole(window_);
}

std::span<const std::byte> OperandWindows::bytesOf(int64_t element) const {
  if (operand_->isWhole) return array_->bytesOf(element);
  if (!window_) return {};
  const Shape& shape = array_->tensor().shape();
  int64_t inWindow = 0, size = 1;
  for (size_t i = shape.size(); i-- > 0; element /= shape[i]) {
    const int64_t index = element % shape[i] - (*starts_)[i];
    if (index < 0 || index >= operand_->window[i]) return {};
    inWindow += index * size;
    size *= operand_->window[i];
  }
  return window_->bytesOf(inWindow);
}

Status OperandWindows::writeBack() {
  if (!isOutput_ || !window_) return {};
  ASSIGN_OR_RETURN(const auto same, overlap());
  const std::vector<uint8_t> written = same.window.writtenElements();
  MemoryView all = same.window;
  std::optional<Tensor> mask;
  if (!written.empty()) {
    ASSIGN_OR_RETURN(
        mask, Tensor::fromBytes(ElementType::kI1, all.shape, std::as_bytes(std::span(written))));
  }
  ASSIGN_OR_RETURN(auto tensor, all.readAnything());
  ASSIGN_OR_RETURN(tensor, retyped(std::move(tensor), same.array.type));
  return same.array.write(tensor, mask ? &*mask : nullptr);
}

}  // namespace vintage::harness
