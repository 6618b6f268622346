// Calls with the operations of the called function in their place: of functions of a few simple
// operations (JAX's _where, clip, relu, remainder), and of those that a module calls once (the body
// of JAX's scan). There they run with those around them as one (harness/engine/fusion.h), and a
// turn of a loop makes no call.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "golden/module/module_tree.h"

namespace vintage::harness {

class CallInliner {
 public:
  // The module must outlive the inliner.
  explicit CallInliner(const golden::ModuleTree& module);

  // The function with the operations of what it calls; none where it calls no such function.
  std::optional<golden::Function> inlined(const golden::Function& function);

 private:
  struct Scope;

  // The function of this name, where calls of it may be copies of it. Null for any other.
  const golden::Function* inlinable(const std::string& name);
  // The function that the operation calls. Null where it stays a call, as where types differ.
  const golden::Function* callee(const golden::Function& caller, const golden::Operation& call);
  // How many operations a function of simple ones has, with what it calls; none for any other.
  std::optional<size_t> simpleOperations(const std::string& name);
  void append(const golden::Block& from, Scope& scope, std::vector<golden::Operation>& to);
  void appendCallee(const golden::Function& callee, const golden::Operation& call, Scope& scope,
                    std::vector<golden::Operation>& to);

  const golden::ModuleTree& module_;
  std::map<std::string, size_t, std::less<>> calls_;  // How often each function is called.
  std::map<std::string, std::optional<size_t>> simple_;
  std::map<std::string, const golden::Function*> inlinable_;
};

}  // namespace vintage::harness
