// GET of a list of records (NDJSON) into a spool: whole, or begun again.
#pragma once

#include <string>

#include <nlohmann/json.hpp>

#include "archive/transfer/http_client.h"
#include "archive/transfer/line_spool.h"
#include "archive/transfer/room.h"

namespace vintage::archive::transfer {

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
