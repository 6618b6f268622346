// What the service's client exchanges with it: lists of records, contents in one stream, a content
// in chunks.
#pragma once

#include <cstdint>
#include <cstdio>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

#include "archive/store/frame_stream.h"
#include "archive/transfer/http_client.h"
#include "archive/transfer/place.h"
#include "golden/base/content_hash.h"
#include "golden/base/result.h"

namespace vintage::archive {

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

// GET of a list of records (NDJSON) into a spool: whole, or begun again.
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

// POST /v1/contents: many small contents in one stream. After an interruption
// only those that did not arrive are asked for again.
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

// "Content-Digest: sha-256=:…:" of a body (RFC 9530).
std::string contentDigestHeader(std::string_view body);

// One content to the service in chunks, continued where the service stands after
// each interruption, also one of an earlier run (docs/service.md).
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

}  // namespace vintage::archive
