// `service/` in an archive's folder: what the service keeps beside the archive,
// for its owner only: tokens' hashes, what they used, and unfinished uploads.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>

#include <nlohmann/json.hpp>

#include "golden/base/result.h"

namespace vintage::archive {

// Its path, or that of a folder in it; made where it is not there.
Result<std::string> makeServiceFolder(const std::string& archiveFolder);
Result<std::string> makeServiceFolder(const std::string& parent, const std::string& name);

// kBadInput where another user owns the file or folder, or may write it. Nothing is wrong where
// nothing is there.
Status checkOthersMayNotWrite(const std::string& archiveFolder, const std::string& path);

// A file of JSON in it; none where the file is missing. Text that is no JSON is discarded
// (is_discarded()).
Result<std::optional<nlohmann::json>> readServiceFile(const std::string& path);

// Replaces the file in one step, durably; only its owner may use it. The caller holds the file's
// lock, so that nobody else writes the same temporary file.
Status writeServiceFile(const std::string& path, const std::string& text);

// A whole number in it; 0 where it is missing or something else.
uint64_t countIn(const nlohmann::json& entry, const char* field);

// Held while a file of the service is read, changed and replaced.
class ServiceLock {
 public:
  static Result<ServiceLock> take(const std::string& archiveFolder);
  ServiceLock(ServiceLock&& other) noexcept : file_(std::exchange(other.file_, -1)) {}
  ~ServiceLock();

 private:
  explicit ServiceLock(int file) : file_(file) {}
  int file_;
};

}  // namespace vintage::archive
