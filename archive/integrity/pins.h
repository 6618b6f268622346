// What a client has seen of an archive's signed lists: nobody shows it an older state
// afterwards. Kept outside of the archive, one for each place and key.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "archive/integrity/room.h"
#include "golden/base/result.h"

namespace vintage::archive::integrity {

struct Pin {
  int64_t counter = 0;
  std::string list;  // The hash of that list.
  std::string key;   // The fingerprint of the key whose turn it was.
  std::string date;  // Of the list.
};

// A file of pins, made where there is none. An unreadable one is kBadInput: it is not replaced.
class PinFile {
 public:
  explicit PinFile(std::string path) : path_(std::move(path)) {}
  // Below the environment's XDG_STATE_HOME or HOME; empty where neither is set.
  static std::string defaultPath();

  Result<std::optional<Pin>> find(const std::string& place, const std::string& key) const;
  // The pins of all keys.
  Result<std::vector<Pin>> ofPlace(const std::string& place) const;
  Status put(const std::string& place, const std::string& key, const Pin& pin) const;
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

}  // namespace vintage::archive::integrity
