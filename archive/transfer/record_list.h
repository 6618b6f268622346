// GET of a list of records (NDJSON) into a spool: whole, or begun again.
#pragma once

#include <cstdint>
#include <cstdio>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include <nlohmann/json.hpp>

#include "archive/transfer/http_client.h"
#include "archive/transfer/room.h"
#include "golden/base/result.h"

namespace vintage::archive::transfer {

// Lines that are taken in now and looked at later, on the disk: lists of
// millions of records need no memory, and no connection stays open while
// the caller reads them.
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

class RecordList final : public HttpExchange {
 public:
  RecordList(std::string url, LineSpool& spool) : url_(std::move(url)), spool_(spool) {}

  // The line that ends a list: {"end": true, "count": N}.
  static bool isEnd(const nlohmann::json& line) {
    return line.size() == 2 && line.contains("end") && line.contains("count");
  }

  std::string what() const override { return "list " + url_; }
  Result<HttpRequest> request() override;
  Status receive(HttpResponse& response, std::span<const std::byte> piece) override;
  Result<Next> finish(HttpResponse& response) override;

 private:
  std::string url_;
  LineSpool& spool_;
  uint64_t lines_ = 0;
  std::string lastLine_, partial_;
};

}  // namespace vintage::archive::transfer
