// What push, pull and mirror know of their source's signed lists: whose key counts, and what was
// seen of it before.
#pragma once

#include <optional>
#include <string>

#include <CLI/CLI.hpp>

#include "archive/transfer/mirror.h"
#include "golden/base/result.h"
#include "harness/command/room.h"

namespace vintage::harness::command {

class SourceTrust {
 public:
  void addTo(CLI::App& app);
  // Must outlive what it prepares.
  Status prepare(const std::string& source, MirrorOptions& options);
  Status remember(const MirrorSummary& summary) const;

  static nlohmann::json toJson(const std::optional<Pin>& list);

 private:
  std::string publicKey_, source_;
  std::optional<std::string> pins_;
  std::optional<SigningKey> key_;
  bool withoutLists_ = false;
};

// A folder as everybody on this machine would name it; other places as they are.
std::string placeName(const std::string& place);

}  // namespace vintage::harness::command
