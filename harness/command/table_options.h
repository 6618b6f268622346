// The options of the verbs that read tables: `tables` and `limitations`.
#pragma once

#include <string>

#include <CLI/CLI.hpp>

#include "golden/base/result.h"
#include "harness/command/room.h"
#include "harness/tables/table_pages.h"

namespace vintage::harness::command {

class TableOptionsOfVerb {
 public:
  void addTo(CLI::App& app);
  Result<TableOptions> options() const;
  std::string archive;

 private:
  TableOptions options_;
  std::string today_;
};

}  // namespace vintage::harness::command
