// The archive service's HTTP API (docs/service.md), one call for each thing
// that a transfer needs. Retries, continuation and checks are inside.
#pragma once

#include <functional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "archive/transfer/exchanges.h"
#include "archive/transfer/http_client.h"
#include "archive/transfer/place.h"

namespace vintage::archive {

struct ServiceLimits {
  int64_t pushBytes = 8 << 20;
  int64_t chunkBytes = 4 << 20;
  int64_t ids = 1000;
  int64_t proofIds = 1000;
};

// One thread at a time.
class ServiceClient {
 public:
  ServiceClient(std::string base, const PlaceOptions& options);

  const std::string& base() const { return base_; }
  // Asks for the service's limits; kBadInput where no Vintage answers.
  Status greet();
  const ServiceLimits& limits() const { return limits_; }

  // GET of NDJSON below /v1/, each record as it is parsed; whole or an error.
  using JsonVisitor = std::function<Status(const nlohmann::json&)>;
  Status list(const std::string& path, const JsonVisitor& visit) {
    return listRecords(http_, url(path), visit);
  }
  Result<nlohmann::json> get(const std::string& path);
  // `body` is JSON, or NDJSON with `lines`.
  Result<nlohmann::json> send(const std::string& method, const std::string& path, std::string body,
                              bool lines = false);
  // Frames to /v1/push, several at once; `next` is asked until it gives an empty
  // text. The answers come in any order.
  Status push(const std::string& lease, const std::function<std::string()>& next,
              const JsonVisitor& answer);
  // Questions to /v1/proofs, in the same way.
  Status prove(const std::function<std::string()>& next, const JsonVisitor& answer);
  // Resumable uploads under the lease.
  Status upload(const std::string& lease, std::span<const ContentUpload> uploads);
  // Small contents in streams of many, large ones one by one and continued.
  Status read(std::span<const WantedContent> wanted, const Place::ContentVisitor& take,
              const Place::LostVisitor& lost);

  const TransferCounts& counts() const { return http_.counts(); }

 private:
  // The common part of get() and send().
  Result<nlohmann::json> ask(const std::string& what, HttpRequest request, std::string body);
  // The common part of push() and prove().
  Status postAll(const std::string& path, const char* mediaType, const std::string& what,
                 const std::function<std::string()>& next, const JsonVisitor& answer);
  std::string url(const std::string& path) const { return base_ + "/v1/" + path; }

  std::string base_, partialFolder_;
  int jobs_;
  HttpClient http_;
  ServiceLimits limits_;
};

// The list of this name in an answer; null where it has none.
inline const nlohmann::json* listIn(const nlohmann::json& answer, const char* name) {
  const auto list = answer.find(name);
  return list != answer.end() && list->is_array() ? &*list : nullptr;
}

// A batch as bodies for /v1/push: each a stream of frames that stands alone, so
// that several can be under way at once.
class PushBodies {
 public:
  // The batch must outlive it. Contents in `sent` are on the other side already.
  PushBodies(const ArtifactBatch& batch, std::set<ContentId> sent, int64_t longestBody);

  // The next body of this round, empty where none is left. A record whose
  // contents went into another body of the round waits for the next round.
  std::string next();
  // All bodies so far were accepted.
  void roundEnded();
  bool empty() const { return waiting_.empty(); }

 private:
  const ArtifactBatch& batch_;
  std::set<ContentId> arrived_;
  std::set<ContentId> underWay_;
  std::vector<const ArtifactRecord*> waiting_;
  size_t longestBody_;
};

}  // namespace vintage::archive
