// Exchanges with a server: one content, many contents in one stream, a content in chunks, a list of
// records. Each is continued, or begun again, after an interruption.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "archive/transfer/http_client.h"
#include "archive/transfer/place.h"
#include "golden/base/result.h"

namespace vintage::archive {

// From this size on a download also goes to a file, so that a later run can continue it.
inline constexpr int64_t kLargeContent = 1 << 20;

struct DownloadTarget {
  std::string url;
  std::vector<std::string> headers;
  WantedContent content;
  std::string partialFolder;
  bool followsRedirects = false;
};
// GET of one content, continued with a range and checked against its id. `lost`: the server does
// not have it, or what it has is damaged.
std::unique_ptr<HttpExchange> downloadContent(DownloadTarget target, Place::ContentVisitor take,
                                              Place::LostVisitor lost);

// POST /v1/contents (docs/reference/service.md): many small contents in one stream. After an
// interruption only those that did not arrive are asked for again; one that turned out to be large
// is left to the caller: it is added to `large`.
std::unique_ptr<HttpExchange> streamContents(std::string url, const std::vector<ContentId>& ids,
                                             Place::ContentVisitor take, Place::LostVisitor lost,
                                             std::vector<WantedContent>& large);

struct ContentUpload {
  ContentId id;
  const Bytes* bytes;
  bool again = false;  // Also where it is kept, which heals it.
};
// One content to the service at `base` in chunks, continued where the service stands, also after
// an earlier run. The bytes must outlive it.
std::unique_ptr<HttpExchange> uploadContent(std::string base, const ContentUpload& upload,
                                            std::string lease, int64_t chunkBytes);

// GET of a list of records (NDJSON): whole, or begun again. It waits on the disk until it is whole:
// lists of millions of records need no memory, and no connection stays open while the caller
// reads them.
Status listRecords(HttpClient& http, const std::string& url,
                   const std::function<Status(const nlohmann::json&)>& visit);

}  // namespace vintage::archive
