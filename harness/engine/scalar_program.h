// Elementwise code on scalars, run over vectors: what the regions of reduce,
// scatter, sort, map and their like mostly are, and runs of elementwise operations
// over whole tensors (harness/engine/fusion.h).
//
// An instruction works on `count` lanes at once, so that a caller with many
// independent elements pays the dispatch once for a batch, and a caller with
// one pays no allocation.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <unordered_map>
#include <vector>

#include "golden/module/module_tree.h"
#include "harness/engine/kernel.h"

namespace vintage::harness {

// How a tensor of few elements fills one of many, row-major: where the many are an array of these
// sizes, a step along a dimension is so many elements of the few, 0 or 1 along the last one.
// Without dimensions the only element fills all.
struct Repeat {
  golden::Shape sizes, strides;
};
// A broadcast_in_dim of these static types; none where it is malformed or reorders dimensions.
std::optional<Repeat> repeatOf(const golden::Operation& operation, const golden::ValueType& operand,
                               const golden::ValueType& result);

class ScalarProgram {
 public:
  // Null where the region has more than one block or an operation that is not
  // elementwise on scalars. `captured` names the values from outside in the
  // order in which bind() takes them; `constants` are from outside too.
  static std::shared_ptr<const ScalarProgram> make(
      const golden::Region& region, std::span<const golden::ValueType> valueTypes,
      std::span<const golden::ValueId> captured,
      std::span<const std::pair<golden::ValueId, Value>> constants);
  // The same of a region whose values are tensors of `lanes` elements, one in each lane, and
  // numbers (kNumber). An argument of fewer elements must be a scalar or broadcast (repeatOf).
  static std::shared_ptr<const ScalarProgram> makeOverLanes(
      const golden::Region& region, std::span<const golden::ValueType> valueTypes, int64_t lanes);
  // The same with other values of the region as results. Null where it has not all of them.
  std::shared_ptr<const ScalarProgram> giving(std::span<const golden::ValueId> values) const;
  bool dependsOn(size_t result, size_t argument) const;
  // Fixes the captured values.
  std::shared_ptr<const ScalarProgram> bind(std::span<const Value> captured) const;

  const std::vector<golden::ElementType>& argumentTypes() const { return argumentTypes_; }
  const std::vector<golden::ElementType>& resultTypes() const { return resultTypes_; }

  // One thread's working memory; `lanes` is the most that run() will be asked for.
  class Runner {
   public:
    Runner(std::shared_ptr<const ScalarProgram> program, size_t lanes);
    // Arrays of storage elements (see Tensor); results may be arguments' arrays,
    // but must not overlap them otherwise. `first` is the number of the first lane: repeated
    // arguments are whole.
    void run(std::span<const void* const> arguments, std::span<void* const> results, size_t count,
             size_t first = 0);

   private:
    std::vector<size_t> placeRegisters(size_t lanes);
    void saveArgument(size_t result, size_t count);

    std::shared_ptr<const ScalarProgram> program_;
    std::vector<std::byte> memory_;
    std::vector<std::byte*> registers_;
    std::vector<const void*> pointers_;
    std::vector<std::pair<size_t, std::byte*>> computedResults_;  // With their own registers.
    std::vector<std::vector<std::byte>> saved_;                   // Arguments that are results.
    golden::Shape index_;  // Where a repeated argument is read.
  };

 private:
  struct Instruction {
    ElementLoop loop;
    std::vector<uint32_t> operands;  // Registers; arguments come first.
    uint32_t result;
  };
  struct Constant {
    uint32_t result;
    golden::Tensor value;
  };
  // An argument of few elements, broadcast to the lanes.
  struct Repeated {
    uint32_t argument, result;
    Repeat repeat;
  };
  class Builder;
  static std::shared_ptr<const ScalarProgram> build(
      Builder& builder, const golden::Region& region, std::span<const golden::ValueId> captured,
      std::span<const std::pair<golden::ValueId, Value>> constants);
  std::vector<golden::ElementType> argumentTypes_, resultTypes_;
  std::vector<golden::ElementType> registerTypes_;  // Arguments, captured ones, then the rest.
  size_t capturedCount_ = 0;
  std::vector<Constant> constants_;
  std::vector<Repeated> repeated_;
  std::vector<Instruction> instructions_;
  std::vector<uint32_t> results_;
  std::unordered_map<golden::ValueId, uint32_t> registers_;
};

// A region of an operation over arrays of scalars: as a program where it is one, and called for
// each lane where it is not.
class ScalarRegion {
 public:
  ScalarRegion() = default;
  // Region `index` of the request, which takes and gives scalars of these types.
  static Result<ScalarRegion> make(const KernelRequest& request, size_t index,
                                   std::vector<golden::ElementType> arguments,
                                   std::vector<golden::ElementType> results);
  bool isProgram() const { return program_ != nullptr; }

  // One thread's use of it, which it must outlive; faster for up to `lanes` at a time.
  class Runner {
   public:
    Runner(const ScalarRegion& region, size_t lanes);
    // As ScalarProgram::Runner::run, for any count. kBadInput where the region gives something
    // else.
    Status run(std::span<const void* const> arguments, std::span<void* const> results,
               size_t count);

   private:
    Status callRegion(size_t lane, std::span<const void* const> arguments,
                      std::span<void* const> results);

    const ScalarRegion& region_;
    size_t lanes_;
    std::optional<ScalarProgram::Runner> program_;
    std::vector<const void*> sources_;
    std::vector<void*> targets_;
  };

 private:
  std::vector<golden::ElementType> arguments_, results_;
  std::shared_ptr<const ScalarProgram> program_;
  RegionFunction region_;
};

}  // namespace vintage::harness
