// Calls of functions of a few elementwise operations (JAX's _where, clip, relu, remainder), with
// these operations in their place. There they run with those around them as one
// (harness/engine/fusion.h).
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "golden/module/module_tree.h"

namespace vintage::harness {

// Remembers what it found out about each function.
class CallInliner {
 public:
  // The module must outlive the inliner.
  explicit CallInliner(const golden::ModuleTree& module) : module_(module) {}

  // The function with the operations of what it calls; none where it calls no such function.
  std::optional<golden::Function> inlined(const golden::Function& function);

 private:
  // The function that the operation calls, its own calls inlined. Null where it has other or too
  // many operations, or where it does not fit the call.
  const golden::Function* callee(const golden::Function& caller, const golden::Operation& call);
  const golden::Function* smallFunction(const std::string& name);
  bool inlineCalls(golden::Function& function, golden::Block& block);
  static void appendBody(golden::Function& caller, const golden::Operation& call,
                         const golden::Function& callee, std::vector<golden::Operation>& to);

  const golden::ModuleTree& module_;
  std::map<std::string, std::optional<golden::Function>, std::less<>> small_;
};

}  // namespace vintage::harness
