// POST /v1/contents: many small contents in one stream. After an interruption
// only those that did not arrive are asked for again.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "archive/store/frame_stream.h"
#include "archive/transfer/http_client.h"
#include "archive/transfer/place.h"
#include "archive/transfer/room.h"
#include "golden/base/content_hash.h"

namespace vintage::archive::transfer {

class ContentStream final : public HttpExchange, private FrameVisitor {
 public:
  // A content that was interrupted and turned out to be large is left to the
  // caller: it is added to `large`.
  ContentStream(std::string url, std::vector<ContentId> ids, Place::ContentVisitor take,
                Place::LostVisitor lost, std::vector<WantedContent>& large);

  std::string what() const override { return "read contents from " + url_; }
  Result<HttpRequest> request() override;
  Status receive(HttpResponse& response, std::span<const std::byte> piece) override;
  Result<Next> finish(HttpResponse& response) override;
  bool progressed() override;

 private:
  Status frame(uint64_t number, std::string_view type, const nlohmann::json& header) override;
  Status bytes(std::span<const std::byte> piece, bool last) override;

  std::string url_;
  std::set<ContentId> remaining_;
  Place::ContentVisitor take_;
  Place::LostVisitor lost_;
  std::vector<WantedContent>& large_;
  std::string body_;
  std::optional<FrameStreamReader> reader_;
  // The content that is arriving; empty between them.
  ContentId current_;
  int64_t currentBytes_ = 0;
  Bytes bytes_;
  std::map<ContentId, int> wrongHashes_;
  bool progressed_ = false;
};

}  // namespace vintage::archive::transfer
