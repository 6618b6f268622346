// The options of reaching a place (archive/transfer/open_place.h), the same for every verb that
// does.
#pragma once

#include <optional>
#include <string>

#include <CLI/CLI.hpp>

#include "archive/transfer/mirror.h"
#include "archive/transfer/open_place.h"
#include "golden/base/result.h"

namespace vintage::harness {

class NetworkOptions {
 public:
  void addTo(CLI::App& app);
  // The token too, from its file or the environment; never from the command line,
  // where every process of the machine could read it.
  Result<archive::PlaceOptions> placeOptions() const;

 private:
  std::string tokenFile_, caCertificate_;
  std::optional<std::string> partialFolder_;
  int jobs_ = 16, attempts_ = 8;
};

// What push, pull and mirror know of their source's signed lists: whose key counts, and what was
// seen of it before.
class SourceTrust {
 public:
  void addTo(CLI::App& app);
  // Must outlive what it prepares.
  Status prepare(const std::string& source, archive::MirrorOptions& options);
  Status remember(const archive::MirrorSummary& summary) const;

  static nlohmann::json toJson(const std::optional<archive::Pin>& list);

 private:
  std::string publicKey_, source_;
  std::optional<std::string> pins_;
  std::optional<archive::SigningKey> key_;
  bool withoutLists_ = false;
};

}  // namespace vintage::harness
