// One content to the service in chunks, continued where the service stands after
// each interruption, also one of an earlier run (docs/service.md).
#pragma once

#include <string>

#include "archive/transfer/http_client.h"
#include "archive/transfer/place.h"
#include "archive/transfer/room.h"

namespace vintage::archive::transfer {

// "Content-Digest: sha-256=:…:" of a body (RFC 9530).
std::string contentDigestHeader(std::string_view body);

class ContentUpload final : public HttpExchange {
 public:
  // `bytes` must outlive it. `again`: also where it is kept, which heals it.
  ContentUpload(std::string base, ContentId id, const Bytes& bytes, std::string lease,
                int64_t chunkBytes, bool again = false);

  std::string what() const override;
  Result<HttpRequest> request() override;
  Result<Next> finish(HttpResponse& response) override;
  bool progressed() override;

 private:
  enum class Step { kBegin, kSend };
  Result<Next> begun(const HttpResponse& response);
  Result<Next> sent(const HttpResponse& response);
  Result<Next> goOnAt(const std::string& offset);

  std::string base_;
  ContentId id_;
  const Bytes& bytes_;
  std::string lease_;
  size_t chunkBytes_;
  bool again_;
  Step step_ = Step::kBegin;
  bool asked_ = false;  // Whether the present step was tried before: something went wrong.
  std::string body_, upload_;
  size_t offset_ = 0, atLastQuestion_ = 0;
  int startedOver_ = 0;
};

}  // namespace vintage::archive::transfer
