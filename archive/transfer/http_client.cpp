#include "archive/transfer/http_client.h"

#include <algorithm>

#include <curl/curl.h>
#include <fmt/format.h>

#include "archive/transfer/http_attempt.h"
#include "golden/base/counted.h"
#include "golden/base/failures.h"

namespace vintage::archive {
namespace {

using SteadyClock = std::chrono::steady_clock;

// libcurl wants this once in a process, before any thread uses it.
void initializeOnce() {
  static const CURLcode done = ::curl_global_init(CURL_GLOBAL_DEFAULT);
  static_cast<void>(done);
}

std::string seconds(std::chrono::milliseconds time) {
  return fmt::format("{:.1f} s", static_cast<double>(time.count()) / 1000);
}

}  // namespace

// An exchange between its attempts.
struct HttpClient::Implementation {
  explicit Implementation(HttpOptions options)
      : options(std::move(options)), random(std::random_device{}()) {
    initializeOnce();
    multi = ::curl_multi_init();
    ::curl_multi_setopt(multi, CURLMOPT_MAXCONNECTS, static_cast<long>(this->options.jobs));
    ::curl_multi_setopt(multi, CURLMOPT_MAX_HOST_CONNECTIONS,
                        static_cast<long>(this->options.jobs));
  }

  ~Implementation() {
    running.clear();
    for (CURL* handle : idle) ::curl_easy_cleanup(handle);
    ::curl_multi_cleanup(multi);
  }

  struct Task {
    std::unique_ptr<HttpExchange> exchange;
    int failures = 0;
    SteadyClock::time_point firstFailure;
  };
  struct Running {
    Task task;
    std::unique_ptr<HttpAttempt> attempt;
  };

  Status start(Task task) {
    ASSIGN_OR_RETURN(auto request, task.exchange->request());
    CURL* handle = nullptr;
    if (idle.empty()) {
      handle = ::curl_easy_init();
      if (handle == nullptr) return failure(Error::Kind::kResource, "out of memory for a transfer");
    } else {
      handle = idle.back();
      idle.pop_back();
      ::curl_easy_reset(handle);
    }
    auto attempt =
        std::make_unique<HttpAttempt>(handle, options, std::move(request), *task.exchange);
    ++counts.requests;
    ::curl_multi_add_handle(multi, handle);
    running.emplace(handle, Running{std::move(task), std::move(attempt)});
    return {};
  }

  Status end(Running ended, CURLcode code) {
    HttpAttempt& attempt = *ended.attempt;
    HttpResponse& response = attempt.response();
    HttpExchange& exchange = *ended.task.exchange;
    counts += attempt.counts();
    if (!attempt.receiveStatus()) {
      const Error& error = attempt.receiveStatus().error();
      if (error.kind != Error::Kind::kBadInput) return tl::unexpected(error);
      return retry(std::move(ended.task), error);
    }
    // A server that refuses a body closes the connection while it is being sent;
    // its answer counts, if there is a whole one.
    const bool answered = response.status >= 300 && attempt.wholeAnswer();
    if (code != CURLE_OK && !answered) {
      const Error error = attempt.transportError(code, exchange.what());
      if (!HttpAttempt::isTransient(code)) return tl::unexpected(error);
      return retry(std::move(ended.task), error);
    }
    if (response.status >= 300 && exchange.isTransient(response))
      return retry(std::move(ended.task), errorOfResponse(exchange.what(), response),
                   attempt.askedPause());
    auto next = exchange.finish(response);
    if (!next) {
      if (next.error().kind != Error::Kind::kBadInput || response.status >= 300)
        return tl::unexpected(next.error());
      return retry(std::move(ended.task), next.error());
    }
    switch (*next) {
      case HttpExchange::Next::kDone:
        return {};
      case HttpExchange::Next::kContinue:
        ended.task.failures = 0;
        return start(std::move(ended.task));
      case HttpExchange::Next::kRetry:
        return retry(std::move(ended.task),
                     response.status >= 300
                         ? errorOfResponse(exchange.what(), response)
                         : Error{Error::Kind::kIo, exchange.what() + ": the answer is incomplete"});
    }
    return {};
  }

  // `asked`: what the server wants to be left alone for.
  Status retry(Task task, const Error& reason, std::chrono::milliseconds asked = {}) {
    const auto now = options.clock->steady();
    if (task.exchange->progressed()) task.failures = 0;
    if (++task.failures == 1) task.firstFailure = now;
    const auto giveUp = [&](const std::string& why) {
      return failure(reason.kind, fmt::format("{}; {}", reason.message, why));
    };
    if (asked > options.retry.longestAsked)
      return giveUp(
          fmt::format("the server asks for a pause of {}, which is too long to wait for: run "
                      "the same command again then; it continues where it stopped",
                      seconds(asked)));
    if (task.failures >= options.retry.attempts)
      return giveUp(fmt::format(
          "gave up after {} in {}; run the same command again: it "
          "continues where it stopped",
          counted(task.failures, "attempt"),
          seconds(std::chrono::duration_cast<std::chrono::milliseconds>(now - task.firstFailure))));
    ++counts.retries;
    // With jitter also where the server gave everybody the same time.
    const auto due = now + asked + options.retry.pause(task.failures, random);
    quietUntil = std::max(quietUntil, now + asked);
    waiting.emplace(due, std::move(task));
    return {};
  }

  Status startDue() {
    const auto now = options.clock->steady();
    if (now < quietUntil) return {};
    while (!waiting.empty() && waiting.begin()->first <= now)
      RETURN_IF_ERROR(start(std::move(waiting.extract(waiting.begin()).mapped())));
    return {};
  }

  Status takeEnded() {
    int left = 0;
    while (const CURLMsg* message = ::curl_multi_info_read(multi, &left)) {
      if (message->msg != CURLMSG_DONE) continue;
      CURL* handle = message->easy_handle;
      const CURLcode code = message->data.result;
      auto node = running.extract(handle);
      ::curl_multi_remove_handle(multi, handle);
      const Status status = end(std::move(node.mapped()), code);
      ::curl_easy_reset(handle);
      idle.push_back(handle);
      if (!status) return status;
    }
    return {};
  }

  SteadyClock::time_point nextDue() const {
    if (waiting.empty()) return running.empty() ? quietUntil : SteadyClock::time_point::max();
    return std::max(waiting.begin()->first, quietUntil);
  }
  int waitMilliseconds() const {
    const auto now = options.clock->steady();
    const auto wake = std::min(nextDue(), now + std::chrono::seconds(1));
    const auto wait = std::chrono::ceil<std::chrono::milliseconds>(wake - now);
    return static_cast<int>(std::max<int64_t>(wait.count(), 0));
  }

  void stopAll() {
    for (auto& [handle, one] : running) {
      ::curl_multi_remove_handle(multi, handle);
      ::curl_easy_reset(handle);
      idle.push_back(handle);
    }
    running.clear();
    waiting.clear();
  }

  HttpOptions options;
  TransferCounts counts;
  std::mt19937_64 random;
  CURLM* multi = nullptr;
  std::map<CURL*, Running> running;
  std::multimap<SteadyClock::time_point, Task> waiting;  // By when they are due.
  std::vector<CURL*> idle;
  // The server asked for a pause until then.
  SteadyClock::time_point quietUntil{};
};

HttpClient::HttpClient(HttpOptions options)
    : implementation_(std::make_unique<Implementation>(std::move(options))) {}
HttpClient::~HttpClient() { implementation_->stopAll(); }

const TransferCounts& HttpClient::counts() const { return implementation_->counts; }

Status HttpClient::perform(const Source& source) {
  Implementation& self = *implementation_;
  Clock& clock = *self.options.clock;
  const size_t jobs = static_cast<size_t>(std::max(1, self.options.jobs));
  bool more = true;

  const auto step = [&]() -> Status {
    RETURN_IF_ERROR(self.startDue());
    while (more && self.running.size() + self.waiting.size() < jobs &&
           clock.steady() >= self.quietUntil) {
      auto exchange = source();
      if (exchange == nullptr) {
        more = false;
        break;
      }
      RETURN_IF_ERROR(self.start({std::move(exchange), 0, {}}));
    }
    int active = 0;
    ::curl_multi_perform(self.multi, &active);
    return self.takeEnded();
  };

  while (true) {
    if (Status status = step(); !status) {
      self.stopAll();
      return status;
    }
    if (self.running.empty() && self.waiting.empty()) {
      if (!more) return {};
      if (clock.steady() >= self.quietUntil) continue;
    }
    if (!self.running.empty())
      ::curl_multi_poll(self.multi, nullptr, 0, self.waitMilliseconds(), nullptr);
    else if (const auto now = clock.steady(); now < self.nextDue())
      clock.sleep(self.nextDue() - now);
  }
}

Status HttpClient::perform(std::unique_ptr<HttpExchange> exchange) {
  return perform([&] { return std::move(exchange); });
}

Result<HttpResponse> HttpClient::ask(const std::string& what, HttpRequest request) {
  HttpResponse answer;

  RETURN_IF_ERROR(perform(std::make_unique<SimpleExchange>(
      what, std::move(request), "", [&](HttpResponse& response) -> Result<HttpExchange::Next> {
        answer = std::move(response);
        return HttpExchange::Next::kDone;
      })));
  return answer;
}

TransferCounts& TransferCounts::operator+=(const TransferCounts& other) {
  requests += other.requests;
  retries += other.retries;
  connections += other.connections;
  bytesSent += other.bytesSent;
  bytesReceived += other.bytesReceived;
  return *this;
}

const std::string& HttpResponse::header(const std::string& name) const {
  static const std::string kEmpty;
  const auto found = headers.find(name);
  return found == headers.end() ? kEmpty : found->second;
}

Status HttpExchange::receive(HttpResponse& response, std::span<const std::byte> piece) {
  constexpr size_t kLongest = size_t{256} << 20;
  if (response.body.size() + piece.size() > kLongest)
    return noResource("{}: the answer is longer than {} bytes", what(), kLongest);
  response.body.append(reinterpret_cast<const char*>(piece.data()), piece.size());
  return {};
}

}  // namespace vintage::archive
