// HTTP/1.1 over libcurl: several exchanges at once on connections that are kept
// open, each repeated until it succeeds, is refused, or is given up.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <random>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "golden/base/clock.h"
#include "golden/base/result.h"

namespace vintage::archive {

// Exponential back-off with jitter: the pause before attempt n lies, at random,
// between a half and the whole of first * 2^(n-1), and is never longer than
// `longest`. Half of it is fixed so that a busy server is left alone; half is
// random so that clients that were cut off together do not return together.
struct RetryPolicy {
  int attempts = 8;  // In a row without any progress; then it is given up.
  std::chrono::milliseconds first{250};
  std::chrono::milliseconds longest{30'000};
  // A server that asks (Retry-After) for a longer pause than this is not waited for.
  std::chrono::milliseconds longestAsked{300'000};

  // `failures` counts from 1.
  std::chrono::milliseconds pause(int failures, std::mt19937_64& random) const;
};

// Whether an HTTP status says "later", rather than "no".
bool isTransientStatus(int status);

struct HttpRequest {
  std::string method = "GET";
  std::string url;
  std::vector<std::string> headers;  // "Name: value"
  // The exchange's own, and there until the attempt has ended.
  std::string_view body;
  // Up to five times, another host without the credentials.
  bool followsRedirects = false;
};

struct HttpResponse {
  int status = 0;
  std::map<std::string, std::string> headers;  // Names in lower case; the last of each.
  std::string body;  // Body of an answer that HttpExchange::receive() did not take.

  const std::string& header(const std::string& name) const;  // Empty where it is missing.
};

// A client's task for a server, across as many requests as it takes.
class HttpExchange {
 public:
  explicit HttpExchange(std::string what) : what_(std::move(what)) {}
  virtual ~HttpExchange() = default;
  // "read 1b4f…", for messages.
  const std::string& what() const { return what_; }
  // Made anew for each attempt, so that it can ask for what is still missing.
  virtual Result<HttpRequest> request() = 0;
  // A piece of the body of a 2xx answer. By default it is put into the
  // response. kBadInput ends the attempt, and the exchange is tried again;
  // other errors end the exchange.
  virtual Status receive(HttpResponse& response, std::span<const std::byte> piece);
  enum class Next {
    kDone,
    kContinue,  // Another request follows.
    kRetry,     // This attempt came to nothing; counts as a failure.
  };
  // A whole answer with a status that is not transient. Errors as in receive().
  virtual Result<Next> finish(HttpResponse& response) = 0;
  // Whether something was gained since it was asked last. Failures after
  // progress are counted from the beginning.
  virtual bool progressed() { return false; }
  // Whether a transient status is one for this exchange: an answer may say why.
  virtual bool isTransient(const HttpResponse& response) {
    return isTransientStatus(response.status);
  }

 private:
  const std::string what_;
};

// An exchange of one request, the same in each attempt.
class SimpleExchange final : public HttpExchange {
 public:
  using Finish = std::function<Result<Next>(HttpResponse&)>;
  // `body` becomes the request's.
  SimpleExchange(std::string what, HttpRequest request, std::string body, Finish finish)
      : HttpExchange(std::move(what)),
        request_(std::move(request)),
        body_(std::move(body)),
        finish_(std::move(finish)) {}

  Result<HttpRequest> request() override {
    HttpRequest request = request_;
    request.body = body_;
    return request;
  }
  Result<Next> finish(HttpResponse& response) override { return finish_(response); }

 private:
  HttpRequest request_;
  std::string body_;
  Finish finish_;
};

struct HttpOptions {
  int jobs = 16;                     // Exchanges at once.
  std::string caCertificate;         // PEM file; empty: the system's.
  std::vector<std::string> headers;  // Sent with each request.
  // Signed as AWS_SIGV4 for `region` and the service s3 where `accessKey` is set.
  std::string accessKey, secretKey, region;
  RetryPolicy retry;
  std::chrono::seconds connectTimeout{15};
  // A transfer that moves nothing for this long is begun again.
  std::chrono::seconds stallTimeout{60};
  Clock* clock = &systemClock();  // For pauses between attempts.
};

// Counts of the work over the network.
struct TransferCounts {
  uint64_t requests = 0, retries = 0, connections = 0;
  uint64_t bytesSent = 0, bytesReceived = 0;  // Bytes of bodies.

  TransferCounts& operator+=(const TransferCounts& other);
};

// One thread at a time. Exchanges are called from perform() only, and must not
// call it.
class HttpClient {
 public:
  explicit HttpClient(HttpOptions options);
  ~HttpClient();
  HttpClient(const HttpClient&) = delete;
  HttpClient& operator=(const HttpClient&) = delete;

  // Null where there is none left.
  using Source = std::function<std::unique_ptr<HttpExchange>()>;
  // Draws exchanges while there is room for more. The first that fails ends all of them.
  Status perform(const Source& source);
  Status perform(std::unique_ptr<HttpExchange> exchange);
  // The whole answer to one request, whatever its status says.
  Result<HttpResponse> ask(const std::string& what, HttpRequest request);

  const TransferCounts& counts() const;

 private:
  struct Implementation;
  std::unique_ptr<Implementation> implementation_;
};

// The error of an answer that says no: what was asked, the status, and what the
// server wrote (JSON as in docs/reference/service.md, or S3's XML).
Error errorOfResponse(const std::string& what, const HttpResponse& response);

// The message of a service's error {"kind", "message", "next"}; empty where it has none.
std::string reasonIn(const nlohmann::json& error);

// The kind in the body of a service's error (docs/reference/service.md), such as
// "checksum_mismatch"; empty for any other answer.
std::string errorKindOf(const HttpResponse& response);

// The kept content does not fit its id: asking again does not help.
inline bool isDamaged(const HttpResponse& response) {
  return response.status == 500 && errorKindOf(response) == "damaged";
}

// Everything but letters, digits and -._~ as %XX; with `slashes`, / stays too.
std::string percentEncoded(std::string_view text, bool slashes = false);

// Without slashes at its end. kUsage where it has no host, holds a user or a
// password (which would end up in logs), a query or a fragment.
Result<std::string> checkedBaseUrl(const std::string& url);

// Appends NAME=VALUE with ? or &.
void addParameter(std::string& url, std::string_view name, std::string_view value);

}  // namespace vintage::archive
