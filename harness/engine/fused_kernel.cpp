// Executions of fused operations.
#include <algorithm>
#include <atomic>
#include <utility>

#include "golden/base/failures.h"
#include "harness/engine/fusion.h"

namespace vintage::harness {
using namespace golden;

namespace {

// So many elements are computed at a time, and reduced at a time where rows are no longer.
constexpr size_t kLanes = 512;
constexpr int64_t kReducedElements = 1 << 16;
// With fewer results at a time a reduce may add in another order.
constexpr int64_t kFewestReduced = 8;

// A tensor for a result: an operand's that nobody needs any more, or a new one.
Result<Tensor> tensorFor(const ValueType& type, int64_t count, KernelCall& call) {
  for (Value& value : call.owned) {
    Tensor& tensor = value.tensor;
    if (value.isToken || value.isTuple || tensor.type() != type.element || tensor.size() != count ||
        !tensor.unshared())
      continue;
    return std::exchange(tensor, Tensor()).reshaped(type.shape);
  }
  return Tensor::makeUninitialized(type.element, type.shape, call.availableBytes);
}

// The working memory of one thread.
class Runner {
 public:
  Runner(const FusedProgram& fused) : fused_(fused), runner_(fused.program, lanesAtATime(fused)) {}

  static size_t lanesAtATime(const FusedProgram& fused) {
    return std::min(kLanes, static_cast<size_t>(fused.lanes));
  }

  Status run(KernelCall& call) {
    operands_.clear();
    results_.clear();
    for (const Value& operand : call.operands) {
      const Tensor& tensor = operand.tensor;
      const size_t width = tensor.size() == fused_.lanes ? byteWidth(tensor.type()) : 0;
      operands_.push_back({tensor.bytes().data(), width});
    }
    // Before operands' memory becomes that of results.
    Value initial;
    if (fused_.reduce) initial = call.operands[fused_.reduce->initial];
    const size_t whole = fused_.resultTypes.size() - (fused_.reduce ? 1 : 0);
    for (size_t i = 0; i < whole; ++i) {
      const ValueType& type = fused_.resultTypes[i];
      Tensor& result = call.results[i].tensor;
      ASSIGN_OR_RETURN(result, tensorFor(type, fused_.lanes, call));
      results_.push_back({result.mutableBytes().data(), byteWidth(type.element)});
    }
    if (fused_.reduce) return runReduce(*fused_.reduce, std::move(initial), call);
    runLanes(0, static_cast<size_t>(fused_.lanes));
    return {};
  }

 private:
  // An array; 0 bytes an element for an operand of fewer elements.
  template <typename Pointer>
  struct Array {
    Pointer data;
    size_t width;
    Pointer at(size_t lane) const { return data + lane * width; }
  };

  // Results begin at lane 0, but for `last`, where it is given: that one begins at lane `from`.
  void runLanes(size_t from, size_t to, std::byte* last = nullptr, size_t lastWidth = 0) {
    sources_.resize(operands_.size());
    targets_.resize(results_.size() + (last != nullptr ? 1 : 0));
    for (size_t first = from; first < to; first += kLanes) {
      for (size_t i = 0; i < operands_.size(); ++i) sources_[i] = operands_[i].at(first);
      for (size_t i = 0; i < results_.size(); ++i) targets_[i] = results_[i].at(first);
      if (last != nullptr) targets_.back() = last + (first - from) * lastWidth;
      runner_.run(sources_, targets_, std::min(kLanes, to - first), first);
    }
  }

  Status runReduce(const FusedReduce& reduce, Value initial, KernelCall& call) {
    const ValueType& type = fused_.resultTypes.back();
    const ElementType element = fused_.program->resultTypes().back();
    ASSIGN_OR_RETURN(auto result,
                     Tensor::makeUninitialized(type.element, type.shape, call.availableBytes));
    const int64_t rows = reduce.shape[0], row = fused_.lanes / rows;
    const int64_t reducedRow = result.size() / rows;
    const int64_t fewest = (kFewestReduced + reducedRow - 1) / reducedRow;
    const int64_t most = std::clamp(kReducedElements / row, std::min(fewest, rows), rows);
    std::byte* to = result.mutableBytes().data();
    std::vector<Value> operands(2);
    operands[1] = std::move(initial);
    for (int64_t first = 0, count = 0; first < rows; first += count) {
      // Rows that are left over would be too few: they go with those before.
      count = rows - first < most + fewest ? rows - first : most;
      Shape shape = reduce.shape;
      shape[0] = count;
      Tensor& some = operands[0].tensor;
      if (some.shape() != shape || some.type() != element || !some.unshared()) {
        ASSIGN_OR_RETURN(some, Tensor::makeUninitialized(element, shape, call.availableBytes));
      }
      runLanes(static_cast<size_t>(first * row), static_cast<size_t>((first + count) * row),
               some.mutableBytes().data(), byteWidth(element));
      std::vector<Value> reduced(1);
      KernelCall one{operands, reduced, {}, call.availableBytes};
      RETURN_IF_ERROR(reduce.kernel(one));
      const Tensor& given = reduced[0].tensor;
      if (given.type() != type.element || given.size() != count * reducedRow)
        return badInput("the reduce gives {} for {} rows", describe(given), count);
      to = std::ranges::copy(given.bytes(), to).out;
    }
    call.results.back().tensor = std::move(result);
    return {};
  }

  const FusedProgram& fused_;
  ScalarProgram::Runner runner_;
  std::vector<Array<const std::byte*>> operands_;
  std::vector<Array<std::byte*>> results_;
  std::vector<const void*> sources_;  // Where the present lanes begin.
  std::vector<void*> targets_;
};

// Few lanes take less time than making a runner, so the last one waits for the next execution.
class KeptRunner {
 public:
  KeptRunner(FusedProgram fused) : fused_(std::move(fused)) {}
  KeptRunner(const KeptRunner&) = delete;
  ~KeptRunner() { delete idle_.load(); }

  Status run(KernelCall& call) {
    if (static_cast<size_t>(fused_.lanes) > kLanes) return Runner(fused_).run(call);
    std::unique_ptr<Runner> runner(idle_.exchange(nullptr, std::memory_order_acquire));
    if (runner == nullptr) runner = std::make_unique<Runner>(fused_);
    Status status = runner->run(call);
    delete idle_.exchange(runner.release(), std::memory_order_acq_rel);
    return status;
  }

 private:
  const FusedProgram fused_;
  std::atomic<Runner*> idle_ = nullptr;
};

}  // namespace

Kernel fusedKernel(FusedProgram fused) {
  return [kept = std::make_shared<KeptRunner>(std::move(fused))](KernelCall& call) {
    return kept->run(call);
  };
}

}  // namespace vintage::harness
