// Content by its id: reading, keeping, asking, proving.
#include <algorithm>

#include <fmt/format.h>

#include "archive/service/application.h"
#include "archive/service/keeping.h"
#include "archive/service/problem.h"
#include "archive/service/request_values.h"
#include "archive/store/content_reader.h"
#include "archive/store/records.h"
#include "golden/base/content_hash.h"
#include "golden/base/memory_pages.h"

namespace vintage::archive {
namespace {

// Larger content is read, unpacked and hashed on a worker.
constexpr uint64_t kQuickBytes = 256 * 1024;

void describeContent(Response& response, const ContentId& id) {
  response.headers.emplace_back("ETag", entityTag(id));
  response.headers.emplace_back("Cache-Control", "private, max-age=31536000, immutable");
}

// Which part of the content's bytes is asked for; what gives them is left to the caller.
Response partOf(const Request& request, const ContentId& id, uint64_t bytes) {
  Response response;
  describeContent(response, id);
  response.headers.emplace_back("Accept-Ranges", "bytes");
  response.headers.emplace_back("Repr-Digest", digestField(id));
  response.contentType = "application/octet-stream";
  RangeChoice choice{200, 0, bytes};
  const std::string* range = request.method == "HEAD" ? nullptr : request.header("range");
  const std::string* condition = request.header("if-range");
  if (range != nullptr && (condition == nullptr || sameStrongTag(*condition, id)))
    choice = chooseRange(*range, bytes);
  if (choice.status == 416) {
    Response refusal = respond(
        {416, "range_not_satisfiable",
         fmt::format("'{}' lies beyond the {} bytes of the content", range->substr(0, 80), bytes),
         "ask for a range within them"});
    refusal.headers.emplace_back("Content-Range", fmt::format("bytes */{}", bytes));
    return refusal;
  }
  response.status = choice.status;
  response.offset = choice.first;
  response.length = choice.length;
  if (choice.status == 206)
    response.headers.emplace_back(
        "Content-Range",
        fmt::format("bytes {}-{}/{}", choice.first, choice.first + choice.length - 1, bytes));
  return response;
}

enum class Use { kAny, kArtifact, kGolden };
constexpr std::string_view kUseNames[] = {"content", "artifact", "golden"};

OptionalResponse readContent(const Call& call, Use use) {
  const Request& request = call.request;
  ASSIGN_OR_RETURN(const auto id, contentId(request.pathValue("id")));
  const auto now = call.application.clock.steady();
  const auto cached = call.application.cache.find(id, now);
  std::optional<KeptContent> kept;
  if (cached) {
    kept = cached->kept;
  } else {
    ASSIGN_OR_RETURN(auto archive, call.application.archives.borrow());
    ASSIGN_OR_RETURN(kept, lookAt(*archive, id));
  }
  if (!kept || (use == Use::kArtifact && !kept->ofArtifact) ||
      (use == Use::kGolden && !kept->ofGolden))
    return notFound(fmt::format("no {} {} is kept", kUseNames[static_cast<int>(use)], id),
                    "look for it with POST /v1/have, or push it");
  if (const std::string* tags = request.header("if-none-match");
      tags != nullptr && listsTag(*tags, id)) {
    Response response = respondEmpty(304);
    describeContent(response, id);
    return response;
  }
  Response response = partOf(request, id, kept->bytes);
  if (request.method == "HEAD") response.statedLength = kept->bytes;
  if (response.statedLength || response.status == 416) return response;
  if (!cached && call.onEventLoop && kept->bytes > kQuickBytes) return std::nullopt;
  // Before it is read: it stays in memory until the client has taken the last byte.
  response.share =
      std::make_shared<BudgetShare>(call.application.responses, Application::holderOf(request));
  const bool inPieces = kept->bytes > kHeldWhole;
  if (!response.share->grow(inPieces ? kBytesOfReader : kept->bytes)) return tooMuchAtOnce();
  if (cached) {
    response.bytes = cached->bytes;
    return response;
  }
  ASSIGN_OR_RETURN(auto archive, call.application.archives.borrow());
  if (inPieces) {
    // All of it is checked before the first byte goes out, so that a damaged content gets an error.
    RETURN_IF_ERROR(visitContent(*archive, id, [](auto) { return Status(); }));
    ASSIGN_OR_RETURN(auto opened, openContent(*archive, id));
    // Its last bytes come only where all of them were right.
    const auto reader = std::make_shared<ContentReader>(std::move(opened));
    response.source =
        [reader, skip = response.offset](std::span<std::byte> piece) mutable -> Result<size_t> {
      RETURN_IF_ERROR(reader->skip(std::exchange(skip, 0)));
      return reader->read(piece);
    };
  } else {
    ASSIGN_OR_RETURN(auto read, archive->read(id));
    response.bytes = std::make_shared<const std::vector<std::byte>>(std::move(read));
    call.application.cache.add(id, {*kept, response.bytes}, now);
  }
  call.application.metrics.contentsRead.fetch_add(1, std::memory_order_relaxed);
  return response;
}

}  // namespace

OptionalResponse readBlob(const Call& call) { return readContent(call, Use::kAny); }
OptionalResponse readArtifactContent(const Call& call) { return readContent(call, Use::kArtifact); }
OptionalResponse readGoldenContent(const Call& call) { return readContent(call, Use::kGolden); }

OptionalResponse putBlob(const Call& call) {
  const Request& request = call.request;
  ASSIGN_OR_RETURN(const auto id, contentId(request.pathValue("id")));
  ASSIGN_OR_RETURN(auto archive, call.application.archives.borrow());
  ASSIGN_OR_RETURN(const auto kept, lookAt(*archive, id));
  if (const std::string* tags = request.header("if-none-match");
      tags != nullptr && kept && listsTag(*tags, id))
    return refuse(412, "precondition_failed", fmt::format("{} is kept already", id),
                  "there is nothing to do; register it if no record names it yet");
  const auto bytes = std::as_bytes(std::span(request.body));
  if (const std::string actual = contentHash(bytes); actual != id) {
    call.application.metrics.checksumMismatches.fetch_add(1);
    return checksumMismatch("the body", actual, id);
  }
  const std::string* named = request.parameter("lease");
  ASSIGN_OR_RETURN(const auto lease, leaseFor(call, *archive, named != nullptr ? *named : "", {}));
  RETURN_IF_ERROR(underLease(lease.id, archive->putContent(lease.id, bytes)));
  call.application.metrics.contentsKept.fetch_add(1);
  nlohmann::json answer = {{"id", id}, {"bytes", bytes.size()}, {"new", !kept}};
  addLease(answer, lease);
  return respondJson(kept ? 200 : 201, answer);
}

OptionalResponse haveContents(const Call& call) {
  ASSIGN_OR_RETURN(const auto body, jsonBody(call.request));
  ASSIGN_OR_RETURN(const auto ids, idsField(body, "ids", call.application.options.limits.ids));
  ASSIGN_OR_RETURN(const auto lease, textField(body, "lease"));
  ASSIGN_OR_RETURN(auto archive, call.application.archives.borrow());
  if (!lease.empty()) {
    if (call.request.identity.role < Role::kPush)
      return refuse(403, "forbidden", "a lease needs a token of the role push",
                    "ask without a lease, or with another token");
    // Before looking: what is found afterwards cannot be collected.
    RETURN_IF_ERROR(underLease(lease, archive->extendLease(lease, ids)));
  }
  ASSIGN_OR_RETURN(const auto missing, archive->missing(ids));
  nlohmann::json have = nlohmann::json::array();
  auto next = missing.begin();
  for (const ContentId& id : ids) {
    if (next != missing.end() && *next == id)
      ++next;
    else
      have.push_back(id);
  }
  return respondJson(200, {{"have", have}, {"missing", missing}});
}

OptionalResponse proveContents(const Call& call) {
  ASSIGN_OR_RETURN(const auto body, jsonBody(call.request));
  ASSIGN_OR_RETURN(const auto nonce, textField(body, "nonce"));
  const bool hexadecimal = nonce.find_first_not_of("0123456789abcdef") == std::string::npos;
  if (!hexadecimal || nonce.size() % 2 != 0 || nonce.size() < 32 || nonce.size() > 128)
    return invalid("'nonce' has to be 16 to 64 bytes as lower-case hexadecimal digits",
                   "draw a new random nonce for each request");
  ASSIGN_OR_RETURN(const auto ids, idsField(body, "ids", call.application.options.limits.proofIds));
  ASSIGN_OR_RETURN(auto archive, call.application.archives.borrow());
  uint64_t all = 0, largest = 0;  // Bytes; of an id that is asked for twice, twice.
  for (const ContentId& id : ids) {
    ASSIGN_OR_RETURN(const auto kept, lookAt(*archive, id));
    all += kept.value_or(KeptContent()).bytes;
    largest = std::max(largest, kept.value_or(KeptContent()).bytes);
  }
  if (const uint64_t most = call.application.options.limits.proofBytes; all - largest > most)
    return refuse(
        413, "too_large",
        fmt::format(
            "the {} contents have {} bytes without the largest of them; one answer proves {}",
            ids.size(), all - largest, most),
        "ask for fewer at once, or for a large one alone");
  BudgetShare memory(call.application.checks, Application::holderOf(call.request));
  if (!memory.grow(largest)) return tooMuchAtOnce();
  const auto nonceBytes = hashBytes(nonce);
  nlohmann::json proofs = nlohmann::json::array();
  for (const ContentId& id : ids) {
    ContentHasher hasher;
    hasher.update(nonceBytes);
    const Status whole = visitContent(*archive, id, [&](std::span<const std::byte> piece) {
      hasher.update(piece);
      return Status();
    });
    if (!whole) {
      proofs.push_back({{"id", id}, {"error", problemJson(whole.error())}});
      continue;
    }
    proofs.push_back({{"id", id}, {"proof", hasher.finish()}});
  }
  return respondJson(200, {{"proofs", proofs}});
}

}  // namespace vintage::archive
