// The service without its sockets: decides about a request from its head, then
// answers it. Tests and the fuzzer call it in process.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <semaphore>
#include <string>
#include <string_view>
#include <vector>

#include "archive/service/archive_pool.h"
#include "archive/service/budget.h"
#include "archive/service/content_cache.h"
#include "archive/service/exchange.h"
#include "archive/service/metrics.h"
#include "archive/service/routes.h"
#include "archive/service/token_store.h"
#include "archive/service/upload_store.h"
#include "archive/store/archive.h"
#include "archive/store/batch_put.h"

namespace vintage::archive {

struct Limits {
  uint64_t bodyBytes = uint64_t{4} << 20;    // JSON and NDJSON.
  uint64_t pushBytes = uint64_t{64} << 20;   // Frames, and content in one request.
  uint64_t uploadBytes = uint64_t{4} << 30;  // A resumable upload as a whole.
  // Contents in memory, of all connections together: a half for responses, a quarter for
  // bodies, a quarter for uploads and proofs that are being checked.
  uint64_t memoryBytes = uint64_t{1} << 30;
  uint64_t headerBytes = 16 * 1024;
  uint64_t targetBytes = 8 * 1024;
  uint64_t chunkBytes = uint64_t{8} << 20;  // Clients are advised to send chunks of this size.
  size_t ids = 10'000;                      // In one request.
  size_t proofIds = 1'000;
  uint64_t proofBytes = uint64_t{256} << 20;  // Of one answer, without its largest content.
  size_t records = 50'000;                    // In one request.
  double requestsPerSecond = 0;               // For each token; 0: no limit.
};

// Pages for people, served beside the API. Another room defines what they show: this room knows
// only files and names of pages of data. Any thread.
struct Site {
  struct File {
    std::string_view name;  // "index.html", "dashboard.js"
    std::string_view mediaType, text;
    std::string tag;  // A strong ETag, without quotes.
  };
  // They are for everybody: they hold nothing of an archive.
  std::vector<File> files;
  std::string_view contentSecurityPolicy;
  // One page of data as JSON. kUsage where a parameter is wrong, kNotFound where there is no such
  // page or nothing of what it names.
  using Parameters = std::map<std::string, std::string, std::less<>>;
  std::function<Result<std::string>(Archive&, std::string_view page, const Parameters&)> data;
};

struct ApplicationOptions {
  std::string folder;
  ArchiveEnvironment environment;
  Role anonymous = Role::kNone;    // Requests without a token have this role.
  std::vector<std::string> hosts;  // Its names, beside its addresses and localhost.
  const Site* site = nullptr;      // Pages for people; outlives the application. Null: none.
  Limits limits;
};

// Any thread.
class Application {
 public:
  // Opens the archive once, so that a damaged one is an error at once.
  static Result<std::unique_ptr<Application>> open(const ApplicationOptions& options);

  // From the head alone; fills in the fields of Request. The body of a refused request need not be
  // read.
  Answer<void> admit(Request& request);
  // The largest body that the route takes.
  uint64_t bodyLimit(const Request& request) const;
  // With the body, for routes whose body is not streamed. With `onEventLoop` it does no work that
  // would take long: it returns none, and is to be called again elsewhere. Checks the stated digest
  // first.
  std::optional<Response> answer(const Request& request, bool onEventLoop);
  // Whether requests with a token can be answered at all.
  Status tokensAreReadable();
  // The client that a request counts for: its token, or its address.
  static std::string holderOf(const Request& request);

  const ApplicationOptions options;
  Clock& clock;
  ArchivePool archives;
  SharedCommit commits;
  ContentCache cache;
  UploadStore uploads;
  UsageStore usage;
  Metrics metrics;
  // Memory by purpose: neither readers nor proofs take it from writers.
  Budget bodies, responses, checks;
  // Held while the contents of a push are hashed and packed: more at once only take more memory.
  std::counting_semaphore<> preparing{4};

 private:
  explicit Application(const ApplicationOptions& options);
  Answer<void> authorize(Request& request);
  Answer<void> checkQuota(const Request& request);
  Answer<void> checkDigest(const Request& request);

  TokenStore tokens_;
  RateLimit rate_;
};

}  // namespace vintage::archive
