// A kernel's program as steps that run one after the other.
//
// A dialect is a table of the operations that it has; a step is made of an operation once and run
// many times. Values are whole arrays, so a step costs little more than the arithmetic in it.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "golden/base/result.h"
#include "golden/module/module_tree.h"
#include "golden/tensor/tensor.h"
#include "harness/engine/kernel.h"
#include "harness/engine/kernels/kernel_memory.h"

namespace vintage::harness {

// An array, or part of a memory. Scalars are arrays of rank 0, index is i64.
struct KernelValue {
  std::optional<golden::Tensor> tensor;
  std::optional<MemoryView> view;

  KernelValue() = default;
  KernelValue(golden::Tensor content) : tensor(std::move(content)) {}
  KernelValue(MemoryView memory) : view(std::move(memory)) {}
};
using KernelValues = std::vector<KernelValue>;

class KernelFrame;
using KernelStep = std::function<Status(KernelFrame&)>;

// A region, planned.
struct KernelRegion {
  struct Step {
    KernelStep run;
    std::string name, location;  // Of its operation.
  };
  struct Block {
    std::vector<golden::ValueId> arguments;
    std::vector<Step> steps;
  };
  std::vector<Block> blocks;
};

// The state that the steps of one run share. A dialect derives its own state from it.
class KernelRun {
 public:
  static constexpr int64_t kMostOperations = int64_t{1} << 26;
  explicit KernelRun(int64_t mostOperations = kMostOperations) : mostOperations_(mostOperations) {}
  virtual ~KernelRun() = default;

  // Counts an operation on so many elements; kResource once a kernel did more than this allows.
  Status spend(int64_t elements);
  // Counts bytes that are there at once; kResource where they are too many.
  Status reserve(int64_t bytes);
  void release(int64_t bytes) { bytes_ -= bytes; }

  int depth = 0;  // Of calls.
  // Called after each step.
  std::function<void(const KernelRegion::Step& step)> watch;

 private:
  static constexpr int64_t kMostElements = int64_t{1} << 40;
  const int64_t mostOperations_;
  static constexpr int64_t kMostBytes = int64_t{1} << 32;
  int64_t operations_ = 0, elements_ = 0, bytes_ = 0;
};

// The values of one call of a function.
class KernelFrame {
 public:
  KernelFrame(KernelRun& run, const golden::Function& function)
      : run_(run), function_(function), values_(function.valueTypes.size()) {}

  KernelRun& run() const { return run_; }
  KernelValue& operator[](golden::ValueId value) { return values_[value]; }
  // kBadInput where the value is none of this kind, or an array of another type than is declared.
  Result<const golden::Tensor*> tensor(golden::ValueId value) const;
  Result<const MemoryView*> view(golden::ValueId value) const;
  Result<int64_t> integer(golden::ValueId value) const;
  Result<std::vector<int64_t>> integers(std::span<const golden::ValueId> values) const;

  // Runs a region of the present function; what its terminator returned.
  Result<KernelValues> runRegion(const KernelRegion& region, KernelValues arguments);

  // For terminators: what the region returns, or with a block, what that takes.
  void leave(KernelValues values, std::optional<int64_t> block = std::nullopt) {
    left_ = std::move(values);
    next_ = block;
  }

 private:
  KernelRun& run_;
  const golden::Function& function_;
  KernelValues values_;
  KernelValues left_;
  std::optional<int64_t> next_;
};

struct KernelFunction {
  golden::Function const* source = nullptr;
  KernelRegion body;
  int64_t bytes = 0;  // Of all its values.
  Result<KernelValues> call(KernelValues arguments, KernelRun& run) const;
};

class KernelPlanner;

struct StepRequest {
  const golden::Operation& operation;
  KernelPlanner& planner;

  size_t operands() const { return operation.operands.size(); }
  golden::ValueId operand(size_t i) const { return operation.operands[i]; }
  golden::ValueId result(size_t i = 0) const { return operation.results[i]; }
  const golden::ValueType& operandType(size_t i) const;
  const golden::ValueType& resultType(size_t i = 0) const;
};

struct StepEntry {
  std::string_view name;  // "arith.addf"
  Result<KernelStep> (*make)(const StepRequest& request);
  int operands = kAnyNumber, results = kAnyNumber;
  enum class Effect {
    kNone,        // Left out where nobody uses the results; loads are.
    kSome,        // Writes, waits, …
    kTerminates,  // Ends a block.
  };
  Effect effect = Effect::kNone;
};
using StepTable = std::span<const StepEntry>;

// Those that all kernel languages share: arith, math, scf, cf, func, and vector and memref.
std::vector<StepTable> sharedSteps();
StepTable arithSteps();
StepTable compareSteps();
StepTable mathSteps();
StepTable controlSteps();
StepTable vectorSteps();
StepTable memorySteps();
StepTable productSteps();

// A kernel's functions, planned; `kernel` must outlive it.
class KernelProgram {
 public:
  const KernelFunction* find(std::string_view name) const;

 private:
  friend class KernelPlanner;
  std::map<std::string, KernelFunction, std::less<>> functions_;
};

// kUnsupported names the operation that no table has.
Result<std::shared_ptr<const KernelProgram>> planKernel(const golden::ModuleTree& kernel,
                                                        std::span<const StepTable> tables);

class KernelPlanner {
 public:
  KernelPlanner(const golden::ModuleTree& kernel, std::span<const StepTable> tables);
  Result<std::shared_ptr<const KernelProgram>> plan();

  // Of the function that is planned.
  const golden::ValueType& type(golden::ValueId value) const { return source_->valueTypes[value]; }
  Result<std::shared_ptr<const KernelRegion>> region(const golden::Region& region);
  // A function that a step calls when it runs.
  Result<const KernelFunction*> function(std::string_view name);

 private:
  Result<KernelRegion> planRegion(const golden::Region& region);
  Result<KernelStep> planOperation(const golden::Operation& operation, const StepEntry& entry);
  void countUses(const golden::Region& region);
  void dropUnused(const golden::Region& region);
  const StepEntry* find(std::string_view name) const;

  const golden::ModuleTree& kernel_;
  std::unordered_map<std::string_view, const StepEntry*> entries_;
  std::shared_ptr<KernelProgram> program_;
  const golden::Function* source_ = nullptr;
  std::unordered_map<golden::ValueId, int64_t> uses_;
  std::unordered_set<const golden::Operation*> unused_;
};

inline const golden::ValueType& StepRequest::operandType(size_t i) const {
  return planner.type(operation.operands[i]);
}
inline const golden::ValueType& StepRequest::resultType(size_t i) const {
  return planner.type(operation.results[i]);
}

// A loop over whole arrays, of an operation of StableHLO. It knows how wide its elements are, so
// that a program whose types lie cannot make it read beyond an array.
struct KernelLoop {
  ElementLoop run;
  std::vector<size_t> widths;  // In bytes, of each operand.
  size_t resultWidth = 0;

  explicit operator bool() const { return run != nullptr; }
};
Result<KernelLoop> kernelLoop(std::string_view stablehlo,
                              const std::vector<golden::ElementType>& operands,
                              golden::ElementType result, golden::AttributeMap attributes = {});
// The bytes of an array of this type; a very large number where there are too many to count.
int64_t bytesOf(const golden::ValueType& type);
// The most bytes of one array in a kernel.
inline constexpr size_t kLargestArray = size_t{1} << 31;
// Applies it to arrays of one shape; those of rank 0 are repeated.
Result<golden::Tensor> applyLoop(const KernelLoop& loop,
                                 std::span<const golden::Tensor* const> operands,
                                 golden::ElementType result);
// Folds `dimensions` of `tensor` by a loop of two operands of its type; at least one element.
Result<golden::Tensor> foldTensor(const KernelLoop& loop, const golden::Tensor& tensor,
                                  const std::vector<int64_t>& dimensions);
// The same elements, of another type of as many bytes.
Result<golden::Tensor> retyped(golden::Tensor tensor, golden::ElementType type);
// Of as many bits, unsigned; others as they are.
golden::ElementType unsignedOf(golden::ElementType type);

// A step that makes an array of the arrays that are its operands, of the declared type.
using TensorFunction =
    std::function<Result<golden::Tensor>(std::span<const golden::Tensor* const> operands)>;
KernelStep tensorStep(const StepRequest& request, TensorFunction function);
// The same by one operation of StableHLO or CHLO, on the types of the operands and the result.
Result<KernelStep> stablehloStep(const StepRequest& request, std::string_view operation);

// The operands in the groups of operandSegmentSizes; as many as there should be.
Result<std::vector<std::vector<golden::ValueId>>> operandGroups(const golden::Operation& operation,
                                                                size_t count);
// The keyword of an attribute that is kept as text: "add" of "#vector.kind<add>"; and the lists of
// numbers in it: "<[1], [0, 2], []>".
std::string keywordOf(const golden::AttributeMap& attributes, std::string_view name);
std::vector<std::vector<int64_t>> listsIn(std::string_view text);

}  // namespace vintage::harness
