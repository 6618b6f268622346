// The options of reaching a place (archive/transfer/open_place.h), the same for
// every verb that does.
#pragma once

#include <optional>
#include <string>

#include <CLI/CLI.hpp>

#include "archive/transfer/open_place.h"
#include "golden/base/result.h"
#include "harness/command/room.h"

namespace vintage::harness::command {

class NetworkOptions {
 public:
  void addTo(CLI::App& app);
  // The token too, from its file or the environment; never from the command line,
  // where every process of the machine could read it.
  Result<PlaceOptions> placeOptions() const;

 private:
  std::string tokenFile_, caCertificate_;
  std::optional<std::string> partialFolder_;
  int jobs_ = 16, attempts_ = 8;
};

}  // namespace vintage::harness::command
