// Lines that are taken in now and looked at later, on the disk: lists of
// millions of records need no memory, and nobody holds a connection open while
// he looks at them.
#pragma once

#include <cstdint>
#include <cstdio>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "archive/transfer/room.h"
#include "golden/base/result.h"

namespace vintage::archive::transfer {

class LineSpool {
 public:
  static Result<LineSpool> make();

  Status append(std::span<const std::byte> bytes);
  Status clear();
  // Each line without its line feed. A last line without one counts too.
  Status forEach(const std::function<Status(std::string_view)>& visit) const;

 private:
  struct Close {
    void operator()(std::FILE* file) const { std::fclose(file); }
  };
  explicit LineSpool(std::FILE* file) : file_(file) {}

  std::unique_ptr<std::FILE, Close> file_;
};

}  // namespace vintage::archive::transfer
