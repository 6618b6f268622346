#include "archive/service/application.h"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <boost/beast/core/string.hpp>

#include "archive/service/foreign_pages.h"
#include "archive/service/problem.h"
#include "archive/service/request_values.h"
#include "golden/base/content_hash.h"

namespace vintage::archive {
namespace {

using boost::beast::iequals;

std::vector<std::string> operations() {
  std::vector<std::string> names;
  for (const Route& route : routes()) names.emplace_back(route.operation);
  return names;
}

Answer<void> checkParameters(const Request& request) {
  const auto known = request.route->parameters;
  for (const auto& [name, value] : request.parameters) {
    if (std::ranges::find(known, name) != known.end()) continue;
    return badRequest(fmt::format("'{}' is not a parameter of {} {}", name.substr(0, 80),
                                  request.method, request.route->path),
                      known.empty() ? std::string("leave it out")
                                    : fmt::format("use these: {}", fmt::join(known, ", ")));
  }
  return {};
}

// A body without a type counts as the one that the path expects, where a token comes with it.
Answer<void> checkMediaType(const Request& request) {
  const std::string* type = request.header("content-type");
  if (type == nullptr || request.route->body == BodyForm::kNone) return {};
  const std::string_view expected = mediaType(request.route->body);
  const std::string_view given = std::string_view(*type).substr(0, type->find_first_of("; \t"));
  // One record is a line of its own.
  if (iequals(given, expected) ||
      (request.route->body == BodyForm::kLines && iequals(given, mediaType(BodyForm::kJson))))
    return {};
  return refuse(415, "unsupported_media_type",
                fmt::format("the body is '{}'; '{}' is expected", type->substr(0, 80), expected),
                fmt::format("send it with Content-Type: {}", expected));
}

Answer<void> checkExpectation(const Request& request) {
  const std::string* expect = request.header("expect");
  if (expect == nullptr || iequals(*expect, "100-continue")) return {};
  return refuse(417, "expectation_failed",
                fmt::format("the Expect header is '{}'; the service meets only 100-continue",
                            expect->substr(0, 80)),
                "leave the Expect header out");
}

}  // namespace

Result<std::unique_ptr<Application>> Application::open(const ApplicationOptions& options) {
  std::unique_ptr<Application> application(new Application(options));
  RETURN_IF_ERROR(application->archives.borrow());
  RETURN_IF_ERROR(readTokens(options.folder));
  return application;
}

Application::Application(const ApplicationOptions& options)
    : options(options),
      clock(options.environment.clock ? *options.environment.clock : systemClock()),
      archives(options.folder, options.environment),
      commits([this](const auto& use) -> Status {
        ASSIGN_OR_RETURN(const auto writer, archives.borrowWriter());
        return use(*writer);
      }),
      uploads(options.folder),
      usage(options.folder, clock),
      metrics(operations()),
      bodies(static_cast<int64_t>(options.limits.memoryBytes / 4), &metrics.bodyBytes),
      responses(static_cast<int64_t>(options.limits.memoryBytes / 2), &metrics.bodyBytes),
      checks(static_cast<int64_t>(options.limits.memoryBytes / 4), &metrics.bodyBytes),
      tokens_(options.folder, clock),
      rate_(options.limits.requestsPerSecond) {}

std::string Application::holderOf(const Request& request) {
  if (!request.identity.name.empty()) return request.identity.name;
  return request.peer.substr(0, request.peer.rfind(':'));
}

uint64_t Application::bodyLimit(const Request& request) const {
  const Limits& most = options.limits;
  // By BodyForm. A run's record is a line and holds its whole report: megabytes after a full night.
  const uint64_t limits[] = {
      0, most.bodyBytes, most.pushBytes, most.pushBytes, most.pushBytes, most.uploadBytes};
  return limits[static_cast<size_t>(request.route->body)];
}

Answer<void> Application::admit(Request& request) {
  if (request.target.size() > options.limits.targetBytes)
    return refuse(414, "uri_too_long",
                  fmt::format("the target has {} bytes; {} are accepted", request.target.size(),
                              options.limits.targetBytes),
                  "ask in several requests, or send ids in a body (POST /v1/contents)");
  auto target = parseTarget(request.target);
  if (!target)
    return badRequest("the target is not a path with percent-encoded parts",
                      "encode what is not a letter, a digit or -._~ as %XX");
  const auto otherMethods = findRoute(request, target->segments);
  if (request.route == nullptr && otherMethods.empty()) return nothingThere();
  if (request.route == nullptr) {
    const std::string methods = fmt::format("{}", fmt::join(otherMethods, ", "));
    Problem problem{405, "method_not_allowed",
                    fmt::format("this path does not answer {}; it answers {}",
                                request.method.substr(0, 40), methods),
                    "use one of the methods that Allow lists"};
    problem.headers.emplace_back("Allow", methods);
    return tl::unexpected(std::move(problem));
  }
  request.parameters = std::move(target->parameters);
  RETURN_IF_ERROR(authorize(request));
  RETURN_IF_ERROR(checkParameters(request));
  RETURN_IF_ERROR(checkExpectation(request));
  if (request.route->body == BodyForm::kNone && request.hasBody())
    return badRequest(fmt::format("{} {} takes no body", request.method, request.route->path),
                      "send it without a body");
  RETURN_IF_ERROR(checkMediaType(request));
  if (request.route->body == BodyForm::kStream && !request.contentLength)
    return refuse(411, "length_required", "a chunk needs a Content-Length",
                  "state how many bytes the chunk has");
  if (request.contentLength.value_or(0) > bodyLimit(request))
    return refuse(413, "too_large",
                  fmt::format("the body has {} bytes; {} are accepted here", *request.contentLength,
                              bodyLimit(request)),
                  "send it in several requests; large content goes through POST /v1/uploads");
  if (const std::string* digest = request.header("content-digest")) {
    auto stated = statedDigest(*digest);
    if (!stated) return badRequest(stated.error().message);
    request.contentDigest = std::move(*stated);
  }
  return checkQuota(request);
}

Answer<void> Application::checkQuota(const Request& request) {
  // Questions have bodies too; only what is sent to be kept counts.
  const uint64_t bytes =
      request.route->role >= Role::kReport ? request.contentLength.value_or(0) : 0;
  auto problem = usage.take(request.identity, 1, bytes);
  if (!problem) return {};
  if (problem->status == 429)
    problem->headers.emplace_back("Retry-After", fmt::format("{}", usage.secondsOfDayLeft()));
  return tl::unexpected(std::move(*problem));
}

Answer<void> Application::authorize(Request& request) {
  const Role needed = request.route->role;
  request.identity = TokenRecord();
  request.identity.role = options.anonymous;
  const std::string* header = request.header("authorization");
  const auto unauthorized = [](std::string message, std::string next) {
    return refuse(401, "unauthorized", std::move(message), std::move(next));
  };
  if (header != nullptr && needed != Role::kNone) {
    constexpr std::string_view kScheme = "bearer ";
    if (header->size() <= kScheme.size() || !iequals(header->substr(0, kScheme.size()), kScheme))
      return unauthorized("the Authorization header is not 'Bearer TOKEN'",
                          "send Authorization: Bearer and the token behind it");
    ASSIGN_OR_RETURN(const auto answer,
                     tokens_.identify(std::string_view(*header).substr(kScheme.size())));
    if (answer.standing == TokenStore::Standing::kUnknown)
      return unauthorized(
          "the token is not known here; it was revoked, or belongs to another archive",
          "ask the archive's owner for one: vintage token add NAME");
    if (answer.standing == TokenStore::Standing::kExpired)
      return unauthorized(
          fmt::format("the token '{}' ended at {}", answer.token.name, answer.token.expires),
          "ask the archive's owner for a new one: vintage token add NAME");
    request.identity = answer.token;
  }
  if (request.identity.role < needed) {
    if (header == nullptr)
      return unauthorized(
          options.anonymous == Role::kNone
              ? fmt::format("this needs a token of the role {}", roleName(needed))
              : fmt::format("without a token everybody may {}, and nothing else; this needs one of "
                            "the role {}",
                            roleName(options.anonymous), roleName(needed)),
          "send Authorization: Bearer TOKEN");
    return refuse(
        403, "forbidden",
        fmt::format("the token '{}' has the role {}; this needs {}", request.identity.name,
                    roleName(request.identity.role), roleName(needed)),
        "use a token with that role");
  }
  if (needed == Role::kNone) return {};  // Probes have no limit.
  RETURN_IF_ERROR(refuseForeignPages(request, options.hosts));
  const double wait = rate_.take(holderOf(request), clock.steady());
  if (wait <= 0) return {};
  Problem problem{429, "too_many_requests",
                  fmt::format("more than {} requests a second", options.limits.requestsPerSecond),
                  "wait for the seconds in Retry-After; put more into one request (POST /v1/push)"};
  problem.headers.emplace_back("Retry-After", fmt::format("{}", static_cast<int>(wait) + 1));
  return tl::unexpected(std::move(problem));
}

Status Application::tokensAreReadable() {
  RETURN_IF_ERROR(tokens_.identify(""));
  return {};
}

Answer<void> Application::checkDigest(const Request& request) {
  if (request.contentDigest.empty()) return {};
  const std::string actual = contentHash(request.body);
  if (actual == request.contentDigest) return {};
  metrics.checksumMismatches.fetch_add(1);
  return checksumMismatch("the body", actual, request.contentDigest);
}

std::optional<Response> Application::answer(const Request& request, bool onEventLoop) {
  auto made = checkDigest(request).and_then(
      [&] { return request.route->answer({*this, request, onEventLoop}); });
  return made ? std::move(*made) : respond(made.error());
}

}  // namespace vintage::archive
