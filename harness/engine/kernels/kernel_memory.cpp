#include "harness/engine/kernels/kernel_memory.h"

#include <algorithm>

#include "golden/base/failures.h"
#include "golden/tensor/print.h"
#include "harness/engine/operations/data_movement.h"

namespace vintage::harness {
using namespace golden;

namespace {

// Calls visit(element of the memory, element of the view) for all elements of a view.
template <typename Visit>
void eachElement(const MemoryView& view, Visit visit) {
  if (view.size() == 0) return;
  std::vector<int64_t> index(view.shape.size(), 0);
  int64_t position = 0;
  do {
    visit(view.offset + offsetOf(index, view.strides), position++);
  } while (nextIndex(view.shape, index));
}

// Where in `flags` a view first meets an element for which the flag has this value; none: -1.
int64_t firstWith(const MemoryView& view, const std::vector<uint8_t>& flags, bool set) {
  int64_t found = -1;
  if (flags.empty()) return found;
  eachElement(view, [&](int64_t element, int64_t) {
    if (found < 0 && (flags[static_cast<size_t>(element)] != 0) == set) found = element;
  });
  return found;
}

}  // namespace

KernelMemory::KernelMemory(std::string name, Tensor tensor, Content content)
    : name_(std::move(name)), tensor_(std::move(tensor)) {
  if (content == Content::kWritten) return;
  unwritten_ = tensor_.size();
  written_.assign(static_cast<size_t>(unwritten_), 0);
}

std::span<const std::byte> KernelMemory::bytesOf(int64_t element) const {
  if (unwritten_ > 0 && written_[static_cast<size_t>(element)] == 0) return {};
  const size_t width = byteWidth(tensor_.type());
  return tensor_.bytes().subspan(static_cast<size_t>(element) * width, width);
}

MemoryView MemoryView::whole(std::shared_ptr<KernelMemory> memory) {
  const Tensor& tensor = memory->tensor();
  MemoryView view{nullptr, 0, tensor.shape(), rowMajorStrides(tensor.shape()), tensor.type()};
  view.memory = std::move(memory);
  return view;
}

Result<MemoryView> MemoryView::part(const std::vector<int64_t>& starts, const Shape& sizes,
                                    const std::vector<int64_t>& steps) const {
  if (starts.size() != shape.size() || sizes.size() != shape.size())
    return badInput("{} indices and sizes of {} dimensions for {} of shape [{}]", starts.size(),
                    sizes.size(), memory->name(), fmt::join(shape, ","));
  MemoryView result = *this;
  result.shape = sizes;
  for (size_t i = 0; i < shape.size(); ++i) {
    const int64_t step = steps.empty() ? 1 : steps[i];
    const int64_t reach = sizes[i] == 0 ? 0 : (sizes[i] - 1) * step + 1;
    if (sizes[i] < 0 || step < 1 || starts[i] < 0 || starts[i] > shape[i] ||
        reach > shape[i] - starts[i])
      return badInput(
          "out of bounds: elements {} to {} of dimension {} of {}, which has {} there (shape [{}])",
          starts[i], starts[i] + std::max<int64_t>(reach, 1) - 1, i, memory->name(), shape[i],
          fmt::join(shape, ","));
    result.offset += starts[i] * strides[i];
    result.strides[i] = strides[i] * step;
  }
  return result;
}

Result<MemoryView> MemoryView::reshaped(const Shape& to) const {
  if (checkedElementCount(to) != size())
    return badInput("{} of shape [{}] does not have the elements of shape [{}]", memory->name(),
                    fmt::join(shape, ","), fmt::join(to, ","));
  MemoryView result = *this;
  result.shape = to;
  result.strides.clear();
  // Dimensions of one element come and go wherever they stand.
  size_t from = 0;
  for (size_t i = 0; i < to.size(); ++i) {
    while (to[i] != 1 && from < shape.size() && shape[from] == 1) ++from;
    if (to[i] == 1) {
      result.strides.push_back(1);
    } else if (from < shape.size() && shape[from] == to[i]) {
      result.strides.push_back(strides[from++]);
    } else {
      break;
    }
  }
  if (result.strides.size() == to.size()) return result;
  std::vector<int64_t> dense = rowMajorStrides(shape);
  for (size_t i = 0; i < shape.size(); ++i)
    if (shape[i] != 1 && strides[i] != dense[i])
      return unsupported("part of {} that is not dense cannot be given the shape [{}]",
                         memory->name(), fmt::join(to, ","));
  result.strides = rowMajorStrides(to);
  return result;
}

Result<Tensor> MemoryView::read() const {
  if (memory->unwritten_ > 0)
    if (const int64_t element = firstWith(*this, memory->written_, false); element >= 0)
      return badInput("reads element {} of {}, which nothing has written",
                      formatIndex(memory->tensor().shape(), element), memory->name());
  if (memory->copies_ > 0)
    if (const int64_t element = firstWith(*this, memory->arriving_, true); element >= 0)
      return badInput(
          "a race: reads element {} of {} while a DMA that was not waited for writes it",
          formatIndex(memory->tensor().shape(), element), memory->name());
  return readAnything();
}

Result<Tensor> MemoryView::readAnything() const {
  ASSIGN_OR_RETURN(auto result, Tensor::makeUninitialized(type, shape));
  if (size() == 0) return result;
  const size_t width = byteWidth(type);
  stridedCopy(shape, width,
              {memory->tensor().bytes().data() + static_cast<size_t>(offset) * width, strides},
              {result.mutableBytes().data(), rowMajorStrides(shape)});
  return result;
}

Status MemoryView::write(const Tensor& tensor, const Tensor* mask) const {
  if (!tensor.has(type, shape) || (mask && !mask->has(ElementType::kI1, shape)))
    return badInput("writes {}{} to {}", describe(tensor), mask ? " by " + describe(*mask) : "",
                    describe(type, shape));
  if (memory->copies_ > 0) {
    for (const auto* flags : {&memory->arriving_, &memory->leaving_})
      if (const int64_t element = firstWith(*this, *flags, true); element >= 0)
        return badInput("a race: writes element {} of {} while a DMA that was not waited for {} it",
                        formatIndex(memory->tensor().shape(), element), memory->name(),
                        flags == &memory->arriving_ ? "writes" : "reads");
  }
  if (size() == 0) return {};
  const size_t width = byteWidth(type);
  std::byte* const target = memory->tensor_.mutableBytes().data();
  if (!mask) {
    stridedCopy(shape, width, {tensor.bytes().data(), rowMajorStrides(shape)},
                {target + static_cast<size_t>(offset) * width, strides});
  }
  if (!mask && memory->unwritten_ == 0) return {};
  const auto* chosen = mask ? mask->values<uint8_t>().data() : nullptr;
  const std::byte* const source = tensor.bytes().data();
  eachElement(*this, [&](int64_t element, int64_t position) {
    if (chosen && !chosen[position]) return;
    if (chosen)
      std::copy_n(source + static_cast<size_t>(position) * width, width,
                  target + static_cast<size_t>(element) * width);
    if (memory->unwritten_ == 0) return;
    uint8_t& written = memory->written_[static_cast<size_t>(element)];
    memory->unwritten_ -= written == 0;
    written = 1;
  });
  if (memory->unwritten_ == 0) memory->written_.clear();
  return {};
}

std::vector<uint8_t> MemoryView::writtenElements() const {
  std::vector<uint8_t> result;
  if (memory->unwritten_ == 0) return result;
  result.resize(static_cast<size_t>(size()));
  eachElement(*this, [&](int64_t element, int64_t position) {
    result[static_cast<size_t>(position)] = memory->written_[static_cast<size_t>(element)];
  });
  return result;
}

std::vector<uint8_t>& MemoryHold::counts() const {
  return end_ == End::kSource ? view_.memory->leaving_ : view_.memory->arriving_;
}

Result<MemoryHold> MemoryHold::make(MemoryView view, End end) {
  MemoryHold hold(std::move(view), end);
  KernelMemory& memory = *hold.view_.memory;
  auto& counts = hold.counts();
  counts.resize(static_cast<size_t>(memory.tensor().size()));
  ++memory.copies_;
  int64_t most = 0;
  eachElement(hold.view_, [&](int64_t element, int64_t) {
    most = std::max<int64_t>(most, ++counts[static_cast<size_t>(element)]);
  });
  if (most == UINT8_MAX)
    return noResource("{} copies of {} are in flight at once", most, memory.name());
  return hold;
}

void MemoryHold::release() {
  --view_.memory->copies_;
  eachElement(view_, [&, &counts = counts()](int64_t element, int64_t) {
    --counts[static_cast<size_t>(element)];
  });
}

Status copyElements(const MemoryView& source, const MemoryView& target) {
  if (source.type != target.type || source.shape != target.shape)
    return badInput("copies {} of {} to {} of {}", describe(source.type, source.shape),
                    source.memory->name(), describe(target.type, target.shape),
                    target.memory->name());
  ASSIGN_OR_RETURN(const auto content, source.read());
  return target.write(content);
}

}  // namespace vintage::harness
