#include "archive/transfer/service_client.h"

#include <algorithm>

#include <fmt/format.h>

#include "archive/store/frame_stream.h"
#include "archive/store/record_json.h"
#include "archive/transfer/exchanges.h"
#include "golden/base/content_hash.h"
#include "golden/base/failures.h"

namespace vintage::archive {
namespace {

using Next = HttpExchange::Next;

constexpr int kApi = 1;
// Contents of unknown size in one stream; small enough that several streams
// share the work.
constexpr size_t kContentsInStream = 200;

// One body is one sync on the other side, and what is sent again where the
// connection breaks.
constexpr size_t kUsualBody = 1 << 20;
constexpr size_t kRecordsInBody = 500;
// A generous bound on a record and the lines around its contents.
constexpr size_t kAroundRecord = 16 * 1024;

HttpOptions httpOptionsOf(const PlaceOptions& options) {
  HttpOptions http = options;
  if (!options.token.empty()) http.headers.push_back("Authorization: Bearer " + options.token);
  return http;
}

// The JSON of an answer, into `place`.
SimpleExchange::Finish jsonInto(std::string what, nlohmann::json& place) {
  return [what = std::move(what), &place](HttpResponse& response) -> Result<Next> {
    if (response.status == 409 && errorKindOf(response) == "busy") return Next::kRetry;
    // The bytes changed on the way.
    if (response.status == 422 && errorKindOf(response) == "checksum_mismatch") return Next::kRetry;
    if (response.status < 200 || response.status >= 300)
      return tl::unexpected(errorOfResponse(what, response));
    if (response.body.empty()) return Next::kDone;
    auto answer = parseOutsideJson(response.body);
    if (!answer)
      return badInput("{}: {}; is this the address of a Vintage service?", what,
                      answer.error().message);
    place = std::move(*answer);
    return Next::kDone;
  };
}

}  // namespace

ServiceClient::ServiceClient(std::string base, const PlaceOptions& options)
    : base_(std::move(base)),
      partialFolder_(options.partialFolder),
      jobs_(options.jobs),
      http_(httpOptionsOf(options)) {}

Status ServiceClient::greet() {
  auto status = get("status");
  if (!status) {
    if (status.error().kind == Error::Kind::kNotFound)
      status.error().message += "; is this the address of a Vintage service?";
    return tl::unexpected(status.error());
  }
  const auto api = status->find("api");
  if (api == status->end() || !api->is_number_integer())
    return failure(Error::Kind::kBadInput, base_ + ": the answer is not that of a Vintage service");
  if (api->get<int64_t>() != kApi)
    return unsupported("{}: it speaks version {} of the API, and this program version {}", base_,
                       api->get<int64_t>(), kApi);
  const auto limits = status->find("limits");
  if (limits == status->end() || !limits->is_object()) return {};
  const std::pair<const char*, int64_t*> kLimits[] = {{"push_bytes", &limits_.pushBytes},
                                                      {"chunk_bytes", &limits_.chunkBytes},
                                                      {"ids", &limits_.ids},
                                                      {"proof_ids", &limits_.proofIds}};
  for (const auto& [name, place] : kLimits) {
    const auto limit = limits->find(name);
    if (limit != limits->end() && limit->is_number_integer() && limit->get<int64_t>() > 0)
      *place = limit->get<int64_t>();
  }
  return {};
}

Result<nlohmann::json> ServiceClient::get(const std::string& path) {
  return ask("read " + url(path), {"GET", url(path), {}, {}}, "");
}

Result<nlohmann::json> ServiceClient::send(const std::string& method, const std::string& path,
                                           std::string body, bool lines) {
  const char* type =
      lines ? "Content-Type: application/x-ndjson" : "Content-Type: application/json";
  return ask(method + " " + url(path), {method, url(path), {type}, {}}, std::move(body));
}

Result<nlohmann::json> ServiceClient::ask(const std::string& what, HttpRequest request,
                                          std::string body) {
  nlohmann::json answer;
  RETURN_IF_ERROR(http_.perform(std::make_unique<SimpleExchange>(
      what, std::move(request), std::move(body), jsonInto(what, answer))));
  return answer;
}

Status ServiceClient::push(const std::string& lease, const std::function<std::string()>& next,
                           const JsonVisitor& answer) {
  return postAll("push?lease=" + lease, kFramesMediaType, "push to " + base_, next, answer);
}

Status ServiceClient::prove(const std::function<std::string()>& next, const JsonVisitor& answer) {
  return postAll("proofs", "application/json", "ask " + base_ + " for proofs", next, answer);
}

Status ServiceClient::postAll(const std::string& path, const char* mediaType,
                              const std::string& what, const std::function<std::string()>& next,
                              const JsonVisitor& answer) {
  return http_.perform([&]() -> std::unique_ptr<HttpExchange> {
    std::string body = next();
    if (body.empty()) return nullptr;
    // RFC 9530.
    const std::string digest = base64Text(hashBytes(contentHash(body)));
    HttpRequest request{"POST",
                        url(path),
                        {std::string("Content-Type: ") + mediaType,
                         fmt::format("Content-Digest: sha-256=:{}:", digest)},
                        {}};
    return std::make_unique<SimpleExchange>(
        what, std::move(request), std::move(body),
        [what, &answer](HttpResponse& response) -> Result<Next> {
          nlohmann::json json;
          const auto next = jsonInto(what, json)(response);
          if (!next || *next != Next::kDone) return next;
          RETURN_IF_ERROR(answer(json));
          return Next::kDone;
        });
  });
}

Status ServiceClient::upload(const std::string& lease, std::span<const ContentUpload> uploads) {
  size_t at = 0;
  return http_.perform([&]() -> std::unique_ptr<HttpExchange> {
    if (at == uploads.size()) return nullptr;
    return uploadContent(base_, uploads[at++], lease, limits_.chunkBytes);
  });
}

Status ServiceClient::read(std::span<const WantedContent> wanted, const Place::ContentVisitor& take,
                           const Place::LostVisitor& lost) {
  std::vector<WantedContent> large;
  std::vector<ContentId> small;
  for (const WantedContent& content : wanted) {
    if (content.bytes >= kLargeContent)
      large.push_back(content);
    else
      small.push_back(content.id);
  }
  // Large ones whose size was not known show in a stream that is cut off.
  size_t at = 0, streamed = 0;
  const size_t inStream =
      std::min<size_t>({kContentsInStream, static_cast<size_t>(limits_.ids),
                        std::max<size_t>(1, (small.size() + static_cast<size_t>(jobs_) - 1) /
                                                static_cast<size_t>(jobs_))});
  const auto next = [&]() -> std::unique_ptr<HttpExchange> {
    if (streamed < small.size()) {
      const size_t count = std::min(inStream, small.size() - streamed);
      const auto ids = std::span(small).subspan(streamed, count);
      streamed += count;
      return streamContents(url("contents"), {ids.begin(), ids.end()}, take, lost, large);
    }
    if (at == large.size()) return nullptr;
    const WantedContent& content = large[at++];
    return downloadContent({url("blobs/" + content.id), {}, content, partialFolder_}, take, lost);
  };
  RETURN_IF_ERROR(http_.perform(next));
  // Fetches the contents that the last streams left over.
  return at < large.size() ? http_.perform(next) : Status();
}

PushBodies::PushBodies(const ArtifactBatch& batch, std::set<ContentId> sent, int64_t longestBody)
    : batch_(batch),
      arrived_(std::move(sent)),
      longestBody_(std::min(kUsualBody, static_cast<size_t>(longestBody))) {
  for (const ArtifactRecord& record : batch.records) waiting_.push_back(&record);
}

std::string PushBodies::next() {
  std::string body;
  FrameStreamWriter frames(body);
  std::set<ContentId> inside;
  std::vector<const ArtifactRecord*> later;
  size_t records = 0;
  for (const ArtifactRecord* record : waiting_) {
    size_t bytes = kAroundRecord;
    bool mustWait = records == kRecordsInBody;
    std::vector<const std::pair<const ContentId, Bytes>*> contents;
    for (const ContentId& id : {record->id, record->golden}) {
      const auto content = batch_.contents.find(id);
      if (content == batch_.contents.end() || arrived_.contains(id) || inside.contains(id))
        continue;
      mustWait |= underWay_.contains(id);
      bytes += content->second.size();
      contents.push_back(&*content);
    }
    if (mustWait || (records > 0 && body.size() + bytes > longestBody_)) {
      later.push_back(record);
      continue;
    }
    for (const auto* content : contents) {
      if (!inside.insert(content->first).second) continue;  // A golden that is its artifact.
      frames.content(content->first, content->second);
    }
    frames.artifact(*record);
    ++records;
  }
  waiting_ = std::move(later);
  if (records == 0) return {};
  underWay_.merge(inside);
  frames.end();
  return body;
}

void PushBodies::roundEnded() { arrived_.merge(underWay_); }

}  // namespace vintage::archive
