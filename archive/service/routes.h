// Every path that the service answers: docs/openapi.json describes them, and a
// test compares both in both directions.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "archive/service/exchange.h"
#include "archive/service/problem.h"
#include "archive/service/upload_store.h"

namespace vintage::archive {

class Application;

enum class BodyForm { kNone, kJson, kLines, kFrames, kBytes, kStream };
// kLoop: where the request was read, unless it turns out to take long; then, and with kWorker,
// on a worker. kPusher: on one of many threads, which wait for a commit that they share. kProver:
// on one of few that only prove, since a proof may read gigabytes for a line of text.
enum class HandlerThread { kLoop, kWorker, kPusher, kProver };

// The request as a route sees it.
struct Call {
  Application& application;
  const Request& request;
  bool onEventLoop = false;
};

struct Route {
  std::string_view method, path;  // "/v1/blobs/{id}"
  std::string_view operation;     // operationId
  Role role = Role::kNone;        // kNone: no token is needed.
  BodyForm body = BodyForm::kNone;
  HandlerThread thread = HandlerThread::kWorker;
  // None: it would take long, and the call is on the event loop.
  Answer<std::optional<Response>> (*answer)(const Call&) = nullptr;
  Answer<std::unique_ptr<UploadChunk>> (*open)(const Call&) = nullptr;  // For BodyForm::kStream.
  std::span<const std::string_view> parameters = {};                    // In the query.
};

// The target of a request: its path and its query.
struct Target {
  // Decoded, between the slashes: "/v1/blobs/ab" is {"v1", "blobs", "ab"}. They
  // are never names of files.
  std::vector<std::string> segments;
  std::vector<std::pair<std::string, std::string>> parameters;
};

// Percent-encoding only; a plus is a plus. Accepts "/path?query" and
// "http://host/path?query". None where a percent sign is followed by something
// other than two hexadecimal digits, or it is neither form.
std::optional<Target> parseTarget(std::string_view text);

std::span<const Route> routes();
std::string_view mediaType(BodyForm form);

// Finds the request's route and fills in its values from the path. Where none fits the method: the
// methods of other routes with this path.
std::vector<std::string_view> findRoute(Request& request, const std::vector<std::string>& segments);

// docs/openapi.json, built into the program.
std::string openApiText();

// The routes' answers, by file.
using OptionalResponse = Answer<std::optional<Response>>;
// content_routes.cpp
OptionalResponse readBlob(const Call&), readArtifactContent(const Call&),
    readGoldenContent(const Call&);
OptionalResponse putBlob(const Call&), haveContents(const Call&), proveContents(const Call&);
// upload_routes.cpp
OptionalResponse beginUpload(const Call&), showUpload(const Call&), dropUpload(const Call&);
// The chunk that takes the body, and the answer once all of it has arrived.
Answer<std::unique_ptr<UploadChunk>> continueUpload(const Call&);
Response finishChunk(const Call&, UploadChunk&);
// keeping.cpp
OptionalResponse makeLease(const Call&), extendLease(const Call&), endLease(const Call&);
// record_routes.cpp
OptionalResponse listArtifacts(const Call&), showArtifact(const Call&),
    registerArtifacts(const Call&);
OptionalResponse listBuilds(const Call&), putBuilds(const Call&);
OptionalResponse listRuns(const Call&), showRun(const Call&), putRuns(const Call&);
OptionalResponse listOutcomes(const Call&), putOutcomes(const Call&);
OptionalResponse listHolds(const Call&), putHolds(const Call&);
OptionalResponse listLists(const Call&), showList(const Call&), putLists(const Call&);
// batch_routes.cpp
OptionalResponse pullArtifacts(const Call&), pullContents(const Call&);
// push_routes.cpp
OptionalResponse pushFrames(const Call&);
// site_routes.cpp
OptionalResponse showSiteIndex(const Call&), showSiteFile(const Call&), showSiteData(const Call&);
// service_routes.cpp
OptionalResponse showLife(const Call&), showHealth(const Call&), showMetrics(const Call&),
    showOpenApi(const Call&);
OptionalResponse showStatus(const Call&);
OptionalResponse listTokens(const Call&), addToken(const Call&), removeToken(const Call&);

}  // namespace vintage::archive
