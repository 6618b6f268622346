// Whole files, as bytes.
#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "golden/base/file_system.h"
#include "golden/base/result.h"

namespace vintage {

// Folders, devices and files beyond `limitBytes` are errors.
Result<std::vector<std::byte>> readFile(const std::filesystem::path& path,
                                        size_t limitBytes = size_t{2} << 30);
// Writes a temporary file beside it, syncs and renames: readers never see half a file, and it
// survives a power cut.
Status writeFile(const std::filesystem::path& path, std::span<const std::byte> bytes);
Status writeFile(FileSystem& files, const std::filesystem::path& path,
                 std::span<const std::byte> bytes);
Status writeTextFile(const std::filesystem::path& path, std::string_view text,
                     FileAccess access = FileAccess::kShared);

// The same, and writeWhole() of golden/base/file_system.h, for content that is too large to hold:
// `write` appends it.
using WriteFile = std::function<Status(WritableFile&)>;
Status writeWhole(FileSystem& files, const std::string& temporary, const std::string& path,
                  const WriteFile& write, FileAccess access = FileAccess::kShared);
Status writeFile(const std::filesystem::path& path, const WriteFile& write);

}  // namespace vintage
