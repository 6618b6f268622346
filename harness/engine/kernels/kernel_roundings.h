// Kernels without some of their roundings, to find the one that keeps a kernel from its golden.
//
// A kernel rounds where a product takes factors of 32 bits as bf16 or TF32, and where it keeps
// numbers in fewer bits than 32 between what it reads and what it writes: an accumulator in bf16.
// Without such a rounding the product takes its factors as they are, or those numbers have 32 bits.
// Arrays that the call itself reads and writes keep their types.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "golden/module/module_tree.h"

namespace vintage::harness {

// While it lives, kernels that this thread reads lose the roundings that it leaves out.
class WithoutRoundings {
 public:
  // Roundings are counted from 0, kernel by kernel and in the order of each program.
  explicit WithoutRoundings(std::function<bool(size_t rounding)> isLeftOut);
  ~WithoutRoundings();
  WithoutRoundings(const WithoutRoundings&) = delete;

  // All roundings of the kernels so far: "arith.truncf at kernel.py:7:3 rounds to bf16".
  const std::vector<std::string>& found() const { return found_; }

  // For each kernel that is read, before it is planned.
  static void applyTo(golden::ModuleTree& kernel);

 private:
  std::function<bool(size_t)> isLeftOut_;
  std::vector<std::string> found_;
};

}  // namespace vintage::harness
