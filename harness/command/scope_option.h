// --scope, the same for every verb that judges promises (docs/verdicts.md).
#pragma once

#include <string>
#include <vector>

#include <CLI/CLI.hpp>

#include "archive/records/scope.h"
#include "golden/base/result.h"
#include "harness/command/room.h"

namespace vintage::harness::command {

class ScopeOption {
 public:
  void addTo(CLI::App& app);
  Result<Scope> scope(const WindowPolicy& policy) const;

 private:
  std::vector<std::string> words_;
};

}  // namespace vintage::harness::command
