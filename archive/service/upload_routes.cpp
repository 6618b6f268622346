// Resumable uploads: announce, append, and once whole become content.
#include <fmt/format.h>

#include "archive/service/application.h"
#include "archive/service/keeping.h"
#include "archive/service/problem.h"
#include "archive/service/request_values.h"
#include "archive/store/content_reader.h"
#include "archive/store/records.h"
#include "golden/base/memory_pages.h"

namespace vintage::archive {
namespace {

nlohmann::json uploadJson(const Call& call, const UploadState& state) {
  return {{"upload", state.name},
          {"id", state.id},
          {"bytes", state.bytes},
          {"offset", state.offset},
          {"chunk_bytes", call.application.options.limits.chunkBytes},
          {"expires", timeText(state.changed + kUploadKeptFor)}};
}

void setOffset(Response& response, uint64_t offset) {
  response.headers.emplace_back("Upload-Offset", fmt::format("{}", offset));
}

// Everything has arrived and is on the disk: check it, and hand it to the archive.
Answer<Response> complete(const Call& call, UploadChunk& chunk) {
  Application& application = call.application;
  const UploadState& state = chunk.state();
  // Everything is on the disk: a client that is refused here goes on at the end.
  BudgetShare memory(application.checks, Application::holderOf(call.request));
  const bool inPieces = state.bytes > kHeldWhole;
  if (!memory.grow(inPieces ? kBytesOfReader : state.bytes)) return tooMuchAtOnce();
  std::span<const std::byte> held;
  ContentHasher hasher;
  const auto hash = [&](std::span<const std::byte> piece) {
    hasher.update(piece);
    return Status();
  };
  if (inPieces) {
    RETURN_IF_ERROR(chunk.visit(hash));
  } else {
    ASSIGN_OR_RETURN(held, chunk.content());
    RETURN_IF_ERROR(hash(held));
  }
  if (const std::string actual = hasher.finish(); actual != state.id) {
    application.metrics.checksumMismatches.fetch_add(1);
    chunk.discard();
    Refusal refusal = checksumMismatch("the upload", actual, state.id);
    refusal.value().next =
        "the service removed the upload; read the content again and begin a new upload";
    return refusal;
  }
  ASSIGN_OR_RETURN(auto archive, application.archives.borrow());
  ASSIGN_OR_RETURN(const auto lease, leaseFor(call, *archive, "", std::span(&state.id, 1)));
  const ContentSource source{state.id, state.bytes,
                             [&](const ContentSource::Visit& visit) { return chunk.visit(visit); }};
  RETURN_IF_ERROR(underLease(lease.id, inPieces ? archive->putContent(lease.id, source)
                                                : archive->putContent(lease.id, held)));
  application.metrics.contentsKept.fetch_add(1);
  application.metrics.uploadsFinished.fetch_add(1);
  nlohmann::json answer = {{"id", state.id}, {"bytes", state.bytes}, {"new", true}};
  addLease(answer, lease);
  chunk.discard();
  Response response = respondJson(201, answer);
  response.headers.emplace_back("Location", "../blobs/" + state.id);
  setOffset(response, state.bytes);
  return response;
}

// The answer where the content is kept already; none where it is not.
OptionalResponse answerKept(const Call& call, Archive& archive, const ContentId& id,
                            const std::string& lease) {
  ASSIGN_OR_RETURN(auto kept, lookAt(archive, id));
  if (!kept) return std::nullopt;
  // Looked at again under the lease: what is found then stays.
  ASSIGN_OR_RETURN(const auto held, leaseFor(call, archive, lease, std::span(&id, 1)));
  ASSIGN_OR_RETURN(kept, lookAt(archive, id));
  if (!kept) return std::nullopt;
  nlohmann::json answer = {{"id", id}, {"bytes", kept->bytes}, {"kept", true}};
  addLease(answer, held);
  return respondJson(200, answer);
}

}  // namespace

OptionalResponse beginUpload(const Call& call) {
  ASSIGN_OR_RETURN(const auto body, jsonBody(call.request));
  ASSIGN_OR_RETURN(const auto text, textField(body, "id"));
  ASSIGN_OR_RETURN(const auto id, contentId(text));
  constexpr uint64_t kMissing = UINT64_MAX;
  ASSIGN_OR_RETURN(const auto bytes, numberField(body, "bytes", kMissing));
  if (bytes == kMissing)
    return invalid("'bytes' is missing", "state how many bytes the content has");
  if (bytes > call.application.options.limits.uploadBytes)
    return refuse(413, "too_large",
                  fmt::format("an upload of {} bytes; up to {} are accepted", bytes,
                              call.application.options.limits.uploadBytes),
                  "ask the archive's owner to serve it with a larger --largest-upload");
  ASSIGN_OR_RETURN(const auto lease, textField(body, "lease"));
  ASSIGN_OR_RETURN(const auto again, flagField(body, "again"));
  ASSIGN_OR_RETURN(auto archive, call.application.archives.borrow());
  // A lease that the client named covers the id from here on, whether it is
  // kept yet or not.
  if (!lease.empty()) RETURN_IF_ERROR(leaseFor(call, *archive, lease, std::span(&id, 1)));
  if (!again) {
    ASSIGN_OR_RETURN(auto kept, answerKept(call, *archive, id, lease));
    if (kept) return kept;
  }
  ASSIGN_OR_RETURN(const auto state,
                   call.application.uploads.begin(call.request.identity.name, id, bytes));
  call.application.metrics.uploadsBegun.fetch_add(1);
  Response response = respondJson(201, uploadJson(call, state));
  // Relative to the request's address: a proxy may serve it below a prefix.
  response.headers.emplace_back("Location", "uploads/" + state.name);
  setOffset(response, state.offset);
  return response;
}

OptionalResponse showUpload(const Call& call) {
  ASSIGN_OR_RETURN(
      const auto state,
      call.application.uploads.find(call.request.identity.name, call.request.pathValue("upload")));
  Response response =
      call.request.method == "HEAD" ? respondEmpty(200) : respondJson(200, uploadJson(call, state));
  setOffset(response, state.offset);
  response.headers.emplace_back("Upload-Length", fmt::format("{}", state.bytes));
  response.headers.emplace_back("Cache-Control", "no-store");
  return response;
}

OptionalResponse dropUpload(const Call& call) {
  RETURN_IF_ERROR(
      call.application.uploads.drop(call.request.identity.name, call.request.pathValue("upload")));
  return respondEmpty(204);
}

Answer<std::unique_ptr<UploadChunk>> continueUpload(const Call& call) {
  const std::string* header = call.request.header("upload-offset");
  const auto offset = parseNumber(header != nullptr ? *header : "");
  if (!offset)
    return badRequest(fmt::format("Upload-Offset is '{}'; a whole number is expected",
                                  header != nullptr ? header->substr(0, 80) : "missing"),
                      "state where the chunk begins; HEAD reports the offset of the upload");
  ASSIGN_OR_RETURN(auto chunk,
                   call.application.uploads.open(call.request.identity.name,
                                                 call.request.pathValue("upload"), *offset));
  const UploadState& state = chunk->state();
  if (*offset + call.request.contentLength.value_or(0) > state.bytes)
    return refuse(
        400, "length_mismatch",
        fmt::format("a chunk of {} bytes at {} reaches beyond the {} bytes that were announced",
                    call.request.contentLength.value_or(0), *offset, state.bytes),
        "send the rest exactly; nothing of this chunk was kept");
  chunk->expectDigest(call.request.contentDigest);
  return chunk;
}

Response finishChunk(const Call& call, UploadChunk& chunk) {
  const auto offset = chunk.settle(true);
  if (!offset) {
    if (offset.error().status == 422) call.application.metrics.checksumMismatches.fetch_add(1);
    return respond(offset.error());
  }
  if (*offset == chunk.state().bytes) {
    const auto completed = complete(call, chunk);
    return completed ? *completed : respond(completed.error());
  }
  Response response = respondEmpty(204);
  setOffset(response, *offset);
  return response;
}

}  // namespace vintage::archive
