// Keeps each program that a client runs in an archive, with the inputs and outputs of its first
// run: VINTAGE_PLUGIN_RECORD=DIR.
#pragma once

#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <vector>

#include "archive/store/archive.h"
#include "golden/base/result.h"
#include "harness/plugin/compiled_program.h"
#include "harness/plugin/room.h"
#include "harness/plugin/settings.h"

namespace vintage::harness::plugin {

class Recorder {
 public:
  // Opens or makes the archive of `settings.recordFolder`.
  static Result<std::unique_ptr<Recorder>> open(const PluginSettings& settings);

  // The values of each device. What cannot be recorded is said once on standard error: the
  // program goes on.
  void record(const CompiledProgram& program, const std::vector<std::vector<Tensor>>& inputs,
              const std::vector<std::vector<Tensor>>& outputs);

 private:
  Recorder(Archive archive, const PluginSettings& settings);
  Status keep(const CompiledProgram& program, const std::vector<std::vector<Tensor>>& inputs,
              const std::vector<std::vector<Tensor>>& outputs);

  std::mutex mutex_;
  Archive archive_;
  std::string producer_;
  Date date_;
  std::set<std::string> seen_;  // Fingerprints.
};

}  // namespace vintage::harness::plugin
