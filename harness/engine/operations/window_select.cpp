
#include <algorithm>
#include <cstring>
#include <optional>

#include "golden/base/failures.h"
#include "golden/tensor/visit.h"
#include "harness/engine/operations/data_movement.h"
#include "harness/engine/operations/region_fold.h"
#include "harness/engine/operations/window.h"

namespace vintage::harness {
using namespace golden;

namespace {

struct Selection {
  WindowConfiguration window;
  RegionFunction select;
  std::shared_ptr<const ScalarProgram> program;  // Of `select`; may be null.
  std::shared_ptr<const RegionFold> scatter;
};

// Whether `select` keeps the first of two elements.
class Selector {
 public:
  Selector(const Selection& selection, ElementType type)
      : selection_(selection), type_(type), width_(byteWidth(type)) {
    if (selection.program != nullptr) runner_.emplace(selection.program, 1);
  }

  Result<bool> keeps(const std::byte* selected, const std::byte* candidate) {
    if (runner_) {
      Predicate keep;
      const void* arguments[] = {selected, candidate};
      void* results[] = {&keep};
      runner_->run(arguments, results, 1);
      return bool{keep};
    }
    Value arguments[2];
    const std::byte* elements[] = {selected, candidate};
    for (size_t i = 0; i < 2; ++i) {
      arguments[i].tensor = Tensor::uninitialized(type_, {});
      std::memcpy(arguments[i].tensor.mutableBytes().data(), elements[i], width_);
    }
    ASSIGN_OR_RETURN(auto results, selection_.select(arguments));
    if (results.size() != 1 || results[0].tensor.type() != ElementType::kI1 ||
        results[0].tensor.size() != 1)
      return badInput("'select' must give one bool scalar");
    return bool{results[0].tensor.values<Predicate>()[0]};
  }

 private:
  const Selection& selection_;
  ElementType type_;
  size_t width_;
  std::optional<ScalarProgram::Runner> runner_;
};

Status runSelectAndScatter(const Selection& selection, KernelCall& call) {
  const Tensor& operand = call.operands[0].tensor;
  const Tensor& source = call.operands[1].tensor;
  const Tensor& initial = call.operands[2].tensor;
  const WindowConfiguration& window = selection.window;
  ASSIGN_OR_RETURN(auto counts, windowCounts(window, operand.shape()));
  if (counts != source.shape() || initial.size() != 1 || initial.type() != source.type() ||
      source.type() != operand.type())
    return badInput(
        "operand {}, source {} and initial value {} do not fit the windows, of which there are {}",
        describe(operand), describe(source), describe(initial), describe(source.type(), counts));
  Tensor& result = call.results[0].tensor;
  result = Tensor::uninitialized(operand.type(), operand.shape());
  fill(result.mutableBytes(), initial.bytes());
  if (source.size() == 0) return {};
  const size_t width = byteWidth(operand.type());
  const std::byte* elements = operand.bytes().data();
  std::byte* target = result.mutableBytes().data();
  const std::byte* next = source.bytes().data();
  const std::vector<int64_t> strides = rowMajorStrides(operand.shape());
  Selector selector(selection, operand.type());
  RegionFold::Runner fold(selection.scatter, 1);
  const size_t rank = strides.size();
  std::vector<int64_t> windowIndex(rank), place(rank), first(rank), inside(rank);
  do {
    const std::byte* selected = nullptr;
    // The part of the window that lies within the operand: padding is never
    // selected.
    bool empty = false;
    for (size_t i = 0; i < rank; ++i) {
      const int64_t start = windowIndex[i] * window.strides[i] - window.low[i];
      first[i] = std::max<int64_t>(0, start);
      inside[i] = std::min(operand.shape()[i], start + window.size[i]) - first[i];
      empty |= inside[i] <= 0;
    }
    std::ranges::fill(place, 0);
    for (bool more = !empty; more; more = nextIndex(inside, place)) {
      int64_t offset = 0;
      for (size_t i = 0; i < rank; ++i) offset += (first[i] + place[i]) * strides[i];
      const std::byte* candidate = elements + static_cast<size_t>(offset) * width;
      if (selected == nullptr) {
        selected = candidate;
        continue;
      }
      ASSIGN_OR_RETURN(auto keeps, selector.keeps(selected, candidate));
      if (!keeps) selected = candidate;
    }
    if (selected != nullptr) {
      void* accumulator[] = {target + (selected - elements)};
      const void* element[] = {next};
      RETURN_IF_ERROR(fold.foldLanes(accumulator, element, 1));
    }
    next += width;
  } while (nextIndex(counts, windowIndex));
  return {};
}

}  // namespace

Result<Kernel> makeSelectAndScatter(const KernelRequest& request) {
  if (request.operandTypes.size() != 3 || request.resultTypes.size() != 1 ||
      request.regions.size() != 2)
    return badInput(
        "stablehlo.select_and_scatter must have three operands, one result and two regions");
  ASSIGN_OR_RETURN(
      auto window,
      readWindow(request.operation, static_cast<int64_t>(request.operandTypes[0].shape.size())));
  ASSIGN_OR_RETURN(auto scatter, RegionFold::make(request, 1, {request.resultTypes[0].element}));
  Selection selection{std::move(window), request.regions[0], nullptr, std::move(scatter)};
  if (!request.regionPrograms.empty()) selection.program = request.regionPrograms[0];
  if (const auto& program = selection.program; program != nullptr) {
    const ElementType type = request.operandTypes[0].element;
    if (program->argumentCount() != 2 || program->argumentType(0) != type ||
        program->argumentType(1) != type || program->resultCount() != 1 ||
        program->resultType(0) != ElementType::kI1)
      selection.program = nullptr;
  }
  return [selection](KernelCall& call) { return runSelectAndScatter(selection, call); };
}

}  // namespace vintage::harness
