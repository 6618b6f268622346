// Elementwise code on scalars, run over vectors: what the regions of reduce,
// scatter, sort, map and their like mostly are.
//
// An instruction works on `count` lanes at once, so that a caller with many
// independent elements pays the dispatch once for a batch, and a caller with
// one pays no allocation.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "golden/module/module_tree.h"
#include "harness/engine/kernel.h"

namespace vintage::harness {

class ScalarProgram {
 public:
  // Null where the region has more than one block or an operation that is not
  // elementwise on scalars. `captured` names the values from outside in the
  // order in which bind() takes them; `constants` are from outside too.
  static std::shared_ptr<const ScalarProgram> make(
      const golden::Region& region, std::span<const golden::ValueType> valueTypes,
      std::span<const golden::ValueId> captured,
      std::span<const std::pair<golden::ValueId, Value>> constants);
  // Fixes the captured values.
  std::shared_ptr<const ScalarProgram> bind(std::span<const Value> captured) const;

  size_t argumentCount() const { return argumentTypes_.size(); }
  size_t resultCount() const { return results_.size(); }
  golden::ElementType argumentType(size_t i) const { return argumentTypes_[i]; }
  golden::ElementType resultType(size_t i) const { return resultTypes_[i]; }

  // One thread's working memory; `lanes` is the most that run() will be asked for.
  class Runner {
   public:
    Runner(std::shared_ptr<const ScalarProgram> program, size_t lanes);
    size_t lanes() const { return lanes_; }
    // Arrays of storage elements (see Tensor); results may be arguments' arrays,
    // but must not overlap them otherwise.
    void run(std::span<const void* const> arguments, std::span<void* const> results,
             size_t count);

   private:
    void saveArgument(size_t result, size_t count);

    std::shared_ptr<const ScalarProgram> program_;
    size_t lanes_;
    std::vector<std::byte> memory_;
    std::vector<std::byte*> registers_;
    std::vector<const void*> pointers_;
    std::vector<std::vector<std::byte>> saved_;  // Arguments that are results.
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
  std::vector<golden::ElementType> argumentTypes_, resultTypes_;
  std::vector<golden::ElementType> registerTypes_;  // Arguments, captured ones, then the rest.
  size_t capturedCount_ = 0;
  std::vector<Constant> constants_;
  std::vector<Instruction> instructions_;
  std::vector<uint32_t> results_;
};

}  // namespace vintage::harness
