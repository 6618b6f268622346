#include "archive/service/routes.h"

#include <algorithm>
#include <charconv>

#include "archive/service/request_values.h"

namespace vintage::archive {
namespace {

constexpr std::string_view kLeaseParameter[] = {"lease"};
// All that some page of the site takes.
constexpr std::string_view kSiteParameters[] = {"build",    "beside", "primitive", "producer",
                                                "artifact", "golden", "platform",  "mode",
                                                "run",      "after"};

constexpr Role kAnyone = Role::kNone, kRead = Role::kRead, kReport = Role::kReport,
               kPush = Role::kPush, kAdmin = Role::kAdmin;
using enum BodyForm;
using enum HandlerThread;

const Route kRoutes[] = {
    {"GET", "/", "site", kAnyone, kNone, kLoop, showSiteIndex},
    {"GET", "/dashboard/{file}", "siteFile", kAnyone, kNone, kLoop, showSiteFile},
    {"GET", "/v1/dashboard/{page}", "siteData", kRead, kNone, kWorker, showSiteData, nullptr,
     kSiteParameters},

    {"GET", "/livez", "live", kAnyone, kNone, kLoop, showLife},
    {"GET", "/readyz", "ready", kAnyone, kNone, kLoop, showHealth},
    {"GET", "/healthz", "health", kAnyone, kNone, kLoop, showHealth},
    {"GET", "/metrics", "metrics", kRead, kNone, kLoop, showMetrics},
    {"GET", "/v1/openapi.json", "openapi", kAnyone, kNone, kLoop, showOpenApi},
    {"GET", "/v1/status", "status", kRead, kNone, kLoop, showStatus},

    {"GET", "/v1/blobs/{id}", "readBlob", kRead, kNone, kLoop, readBlob},
    {"HEAD", "/v1/blobs/{id}", "lookBlob", kRead, kNone, kLoop, readBlob},
    {"PUT", "/v1/blobs/{id}", "putBlob", kPush, kBytes, kWorker, putBlob, nullptr, kLeaseParameter},
    {"GET", "/v1/artifacts/{id}/content", "readArtifactContent", kRead, kNone, kLoop,
     readArtifactContent},
    {"HEAD", "/v1/artifacts/{id}/content", "lookArtifactContent", kRead, kNone, kLoop,
     readArtifactContent},
    {"GET", "/v1/goldens/{id}", "readGolden", kRead, kNone, kLoop, readGoldenContent},
    {"HEAD", "/v1/goldens/{id}", "lookGolden", kRead, kNone, kLoop, readGoldenContent},

    {"POST", "/v1/have", "have", kRead, kJson, kWorker, haveContents},
    {"POST", "/v1/contents", "contents", kRead, kJson, kWorker, pullContents},
    {"POST", "/v1/proofs", "proofs", kRead, kJson, kProver, proveContents},

    {"POST", "/v1/leases", "makeLease", kPush, kJson, kWorker, makeLease},
    {"PUT", "/v1/leases/{lease}", "extendLease", kPush, kJson, kWorker, extendLease},
    {"DELETE", "/v1/leases/{lease}", "endLease", kPush, kNone, kWorker, endLease},

    {"POST", "/v1/uploads", "beginUpload", kPush, kJson, kWorker, beginUpload},
    {"GET", "/v1/uploads/{upload}", "upload", kPush, kNone, kWorker, showUpload},
    {"HEAD", "/v1/uploads/{upload}", "uploadOffset", kPush, kNone, kWorker, showUpload},
    {"PATCH", "/v1/uploads/{upload}", "continueUpload", kPush, kStream, kWorker, nullptr,
     continueUpload},
    {"DELETE", "/v1/uploads/{upload}", "dropUpload", kPush, kNone, kWorker, dropUpload},

    {"GET", "/v1/artifacts", "artifacts", kRead, kNone, kWorker, listArtifacts, nullptr,
     kArtifactParameters},
    {"POST", "/v1/artifacts", "register", kPush, kLines, kWorker, registerArtifacts},
    {"GET", "/v1/artifacts/{id}", "artifact", kRead, kNone, kWorker, showArtifact},
    {"GET", "/v1/pull", "pull", kRead, kNone, kWorker, pullArtifacts, nullptr, kArtifactParameters},
    {"POST", "/v1/push", "push", kPush, kFrames, kPusher, pushFrames, nullptr, kLeaseParameter},

    {"GET", "/v1/builds", "builds", kRead, kNone, kWorker, listBuilds},
    {"POST", "/v1/builds", "putBuilds", kReport, kLines, kWorker, putBuilds},
    {"GET", "/v1/runs", "runs", kRead, kNone, kWorker, listRuns},
    {"POST", "/v1/runs", "putRuns", kReport, kLines, kWorker, putRuns},
    {"GET", "/v1/runs/{run}", "run", kRead, kNone, kWorker, showRun},
    {"GET", "/v1/outcomes", "outcomes", kRead, kNone, kWorker, listOutcomes, nullptr,
     kOutcomeParameters},
    {"POST", "/v1/outcomes", "putOutcomes", kReport, kLines, kWorker, putOutcomes},

    {"GET", "/v1/holds", "holds", kRead, kNone, kWorker, listHolds},
    {"POST", "/v1/holds", "putHolds", kPush, kLines, kWorker, putHolds},
    {"GET", "/v1/lists", "lists", kRead, kNone, kWorker, listLists},
    {"POST", "/v1/lists", "putLists", kPush, kLines, kWorker, putLists},
    {"GET", "/v1/lists/{list}", "list", kRead, kNone, kWorker, showList},

    {"GET", "/v1/tokens", "tokens", kAdmin, kNone, kWorker, listTokens},
    {"POST", "/v1/tokens", "makeToken", kAdmin, kJson, kWorker, addToken},
    {"DELETE", "/v1/tokens/{name}", "revokeToken", kAdmin, kNone, kWorker, removeToken},
};

using PathValues = decltype(Request::pathValues);

// Whether the segments fit a route's path; fills in its values where they do.
bool fits(std::string_view path, const std::vector<std::string>& segments, PathValues& values) {
  if (path == "/") return segments.size() == 1 && segments.front().empty();
  for (const std::string& segment : segments) {
    if (path.empty()) return false;
    path.remove_prefix(1);  // The slash.
    const size_t end = path.find('/');
    const std::string_view part = path.substr(0, end);
    if (part.starts_with('{')) {
      if (segment.empty()) return false;
      values.emplace_back(part.substr(1, part.size() - 2), segment);
    } else if (part != segment) {
      return false;
    }
    path = end == std::string_view::npos ? std::string_view() : path.substr(end);
  }
  return path.empty();
}

std::optional<std::string> decode(std::string_view text) {
  std::string decoded;
  decoded.reserve(text.size());
  for (size_t at = 0; at < text.size(); ++at) {
    if (text[at] != '%') {
      decoded += text[at];
      continue;
    }
    const char* digits = text.data() + at + 1;
    unsigned char byte = 0;
    if (at + 2 >= text.size() || std::from_chars(digits, digits + 2, byte, 16).ptr != digits + 2)
      return std::nullopt;
    decoded += static_cast<char>(byte);
    at += 2;
  }
  return decoded;
}

}  // namespace

std::optional<Target> parseTarget(std::string_view text) {
  for (const std::string_view scheme : {"http://", "https://"}) {
    if (!text.starts_with(scheme)) continue;
    const size_t path = text.find('/', scheme.size());
    text = path == std::string_view::npos ? "/" : text.substr(path);
  }
  if (!text.starts_with('/')) return std::nullopt;
  const size_t mark = text.find('?');
  Target target;
  for (const std::string_view part : split(text.substr(0, mark).substr(1), '/')) {
    auto segment = decode(part);
    if (!segment) return std::nullopt;
    target.segments.push_back(std::move(*segment));
  }
  if (mark == std::string_view::npos) return target;
  for (const std::string_view part : split(text.substr(mark + 1), '&')) {
    if (part.empty()) continue;
    const size_t equals = part.find('=');
    auto name = decode(part.substr(0, equals));
    auto value = decode(equals == std::string_view::npos ? "" : part.substr(equals + 1));
    if (!name || !value) return std::nullopt;
    target.parameters.emplace_back(std::move(*name), std::move(*value));
  }
  return target;
}

std::span<const Route> routes() { return kRoutes; }

std::string_view mediaType(BodyForm form) {
  constexpr std::string_view kTypes[] = {"",
                                         "application/json",
                                         "application/x-ndjson",
                                         "application/vnd.vintage.frames",
                                         "application/octet-stream",
                                         "application/octet-stream"};
  return kTypes[static_cast<size_t>(form)];
}

std::vector<std::string_view> findRoute(Request& request,
                                        const std::vector<std::string>& segments) {
  std::vector<std::string_view> otherMethods;
  const auto take = [&](const Route& route, PathValues values) {
    request.route = &route;
    request.pathValues = std::move(values);
    return std::vector<std::string_view>();
  };
  const Route* ofGet = nullptr;
  PathValues valuesOfGet;
  for (const Route& route : kRoutes) {
    PathValues values;
    if (!fits(route.path, segments, values)) continue;
    if (route.method == request.method) return take(route, std::move(values));
    otherMethods.push_back(route.method);
    if (route.method != "GET") continue;
    ofGet = &route;
    valuesOfGet = std::move(values);
  }
  if (ofGet == nullptr) return otherMethods;
  // HEAD answers wherever GET does, with or without a row of its own.
  if (request.method == "HEAD") return take(*ofGet, std::move(valuesOfGet));
  if (std::ranges::find(otherMethods, "HEAD") == otherMethods.end()) otherMethods.push_back("HEAD");
  return otherMethods;
}

}  // namespace vintage::archive
