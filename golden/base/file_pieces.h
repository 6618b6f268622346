// Files in pieces, for what is too large to hold.
#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <memory>
#include <span>
#include <string>

#include "golden/base/file_system.h"
#include "golden/base/result.h"
#include "golden/base/room.h"

namespace vintage::golden::base {

// A position in a file that others may remove or replace meanwhile: what was opened stays.
class ReadableFile {
 public:
  virtual ~ReadableFile() = default;
  // Fills `piece`, less at the end; 0 behind it.
  virtual Result<size_t> read(std::span<std::byte> piece) = 0;
};

// kNotFound, or kBadInput where it is no regular file. Of the machine's disk: a fake FileSystem
// changes what is written.
Result<std::unique_ptr<ReadableFile>> openFile(const std::string& path);

// As the functions of these names for bytes (golden/base/file_system.h and file.h), of what
// `write` appends.
using WriteFile = std::function<Status(WritableFile&)>;
Status writeWhole(FileSystem& files, const std::string& temporary, const std::string& path,
                  const WriteFile& write);
Status writeFile(const std::filesystem::path& path, const WriteFile& write);

}  // namespace vintage::golden::base
