#include "archive/transfer/line_spool.h"

#include <cerrno>
#include <cstring>
#include <vector>

#include <fmt/format.h>
#include <unistd.h>

namespace vintage::archive::transfer {
namespace {

tl::unexpected<Error> fileError(const char* what) {
  return failure(Error::Kind::kIo, fmt::format("a temporary file for a list of records cannot be "
                                               "{}: {}; TMPDIR chooses where it lies",
                                               what, std::strerror(errno)));
}

}  // namespace

Result<LineSpool> LineSpool::make() {
  std::FILE* file = std::tmpfile();
  if (file == nullptr) return fileError("made");
  return LineSpool(file);
}

Status LineSpool::append(std::span<const std::byte> bytes) {
  if (std::fwrite(bytes.data(), 1, bytes.size(), file_.get()) != bytes.size())
    return fileError("written");
  return {};
}

Status LineSpool::clear() {
  std::rewind(file_.get());
  if (::ftruncate(::fileno(file_.get()), 0) != 0) return fileError("emptied");
  return {};
}

Status LineSpool::forEach(const std::function<Status(std::string_view)>& visit) const {
  if (std::fflush(file_.get()) != 0) return fileError("written");
  std::rewind(file_.get());
  std::vector<char> buffer(1 << 16);
  std::string line;
  while (const size_t count = std::fread(buffer.data(), 1, buffer.size(), file_.get())) {
    std::string_view rest(buffer.data(), count);
    for (size_t end; (end = rest.find('\n')) != std::string_view::npos;
         rest.remove_prefix(end + 1)) {
      line += rest.substr(0, end);
      RETURN_IF_ERROR(visit(line));
      line.clear();
    }
    line += rest;
  }
  if (std::ferror(file_.get()) != 0) return fileError("read");
  return line.empty() ? Status() : visit(line);
}

}  // namespace vintage::archive::transfer
