// From when to when releases register, list and emit each custom-call target; as data, text, JSON
// and Markdown.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "archive/records/runtime_description.h"
#include "golden/base/date.h"

namespace vintage::harness {

struct Span {
  struct End {
    Date day{};
    std::string release;
  };
  End first, last;
  // Inside the known releases: it began after the oldest of them, ended before the newest.
  bool began = false, ended = false;
};

struct TargetLife {
  std::string name, platform;
  bool registryKnown = false;  // Any release's registry of the platform was asked.
  bool ofCompiler = false;     // Known to the compiler; in registries by chance.
  std::optional<Span> registered, listed, emitted;  // Emitted: by default export.
};

// By name, then platform; a target that is only listed has none ("any"). `releases` in any order.
// Registration counts by the days of runtimes, the rest by those of exporters.
std::vector<TargetLife> targetLives(const std::vector<archive::RuntimeDescription>& releases);

std::string targetTableText(const std::vector<TargetLife>& lives);
std::string targetTablePage(const std::vector<TargetLife>& lives,
                            const std::vector<archive::RuntimeDescription>& releases);
nlohmann::json targetTableJson(const std::vector<TargetLife>& lives);

}  // namespace vintage::harness
