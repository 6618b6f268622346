// `vintage tables --consumers`: what works where, of all consumers side by side.
#pragma once

#include <string>
#include <vector>

#include <CLI/CLI.hpp>

#include "golden/base/result.h"
#include "harness/command/console.h"
#include "harness/command/room.h"

namespace vintage::harness::command {

class ConsumerTables {
 public:
  void addTo(CLI::App& app);
  bool asked() const { return asked_ || !against_.empty() || !published_.empty(); }
  // `out`: a file, whose end says the form; empty: printed.
  Result<int> run(const std::string& archive, const std::string& build,
                  const std::vector<std::string>& modes, const std::string& out,
                  Console& console) const;

 private:
  bool asked_ = false;
  std::string against_, published_;
  std::vector<std::string> producers_;
};

}  // namespace vintage::harness::command
