#include "archive/transfer/registry_login.h"

#include <algorithm>
#include <map>
#include <string_view>

#include <nlohmann/json.hpp>

#include "archive/store/record_json.h"
#include "golden/base/content_hash.h"
#include "golden/base/failures.h"
#include "golden/base/lowercase.h"

namespace vintage::archive {
namespace {

// 'Bearer realm="https://auth.example.org/token",service="registry"' (RFC 9110, 11.6.1).
struct Challenge {
  std::string scheme;  // In lower case.
  std::map<std::string, std::string> words;
};
Challenge parseChallenge(std::string_view text) {
  Challenge challenge;
  const size_t space = text.find(' ');
  challenge.scheme = lowercase(std::string(text.substr(0, space)));
  for (size_t at = space; at < text.size();) {
    const size_t begin = text.find_first_not_of(" ,", at), equals = text.find('=', at);
    if (begin == std::string_view::npos || equals == std::string_view::npos) break;
    const bool isQuoted = equals + 1 < text.size() && text[equals + 1] == '"';
    const size_t from = equals + 1 + isQuoted;
    const size_t end = std::min(text.find(isQuoted ? '"' : ',', from), text.size());
    challenge.words[std::string(text.substr(begin, equals - begin))] =
        text.substr(from, end - from);
    at = end + 1;
  }
  return challenge;
}

std::string basic(const RegistryAddress& address) {
  const std::string pair = address.user + ":" + address.password;
  return "Basic " + base64Text(std::as_bytes(std::span(pair)));
}

constexpr int kMostRefusals = 20;

class AuthorizedExchange final : public HttpExchange {
 public:
  AuthorizedExchange(std::unique_ptr<HttpExchange> exchange, RegistryLogin& login)
      : HttpExchange(exchange->what()), exchange_(std::move(exchange)), login_(login) {}

  Result<HttpRequest> request() override {
    if (!tokenUrl_.empty()) {
      HttpRequest request{"GET", tokenUrl_, {}, {}};
      if (!login_.address.user.empty())
        request.headers.push_back("Authorization: " + basic(login_.address));
      return request;
    }
    ASSIGN_OR_RETURN(auto request, exchange_->request());
    sent_ = login_.authorization;
    // A registry may have uploads sent elsewhere.
    if (!sent_.empty() && request.url.starts_with(login_.address.base + "/"))
      request.headers.push_back("Authorization: " + sent_);
    return request;
  }

  Status receive(HttpResponse& response, std::span<const std::byte> piece) override {
    return tokenUrl_.empty() ? exchange_->receive(response, piece)
                             : HttpExchange::receive(response, piece);
  }

  Result<Next> finish(HttpResponse& response) override {
    if (!tokenUrl_.empty()) return takeToken(response);
    if (response.status != 401) {
      refusals_ = 0;
      return exchange_->finish(response);
    }
    // Another exchange has got a new one.
    if (login_.authorization != sent_) return Next::kContinue;
    const RegistryAddress& address = login_.address;
    const Challenge challenge = parseChallenge(response.header("www-authenticate"));
    const bool hasUser = !address.user.empty();
    if (++refusals_ > 1 || ++allRefusals_ > kMostRefusals) return refused(response);
    if (challenge.scheme == "bearer" && address.token.empty()) return askForToken(challenge);
    if (challenge.scheme == "basic" && hasUser)
      login_.authorization = basic(address);
    else if (!address.token.empty())
      login_.authorization = "Bearer " + address.token;
    return login_.authorization == sent_ ? refused(response) : Next::kContinue;
  }
  bool progressed() override { return exchange_->progressed(); }
  bool isTransient(const HttpResponse& response) override {
    return tokenUrl_.empty() ? exchange_->isTransient(response)
                             : HttpExchange::isTransient(response);
  }

 private:
  Result<Next> refused(const HttpResponse& response) const {
    const RegistryAddress& address = login_.address;
    const bool isKnown = !address.user.empty() || !address.token.empty();
    return usageError(
        "{}; {}{}", errorOfResponse(what(), response).message,
        isKnown ? "the registry does not take these credentials for this name: look at the user's "
                  "rights there"
                : "name credentials: a file with USER:PASSWORD by --token-file (or VINTAGE_TOKEN), "
                  "or 'docker login', whose config.json Vintage reads",
        address.hint);
  }

  Result<Next> askForToken(const Challenge& challenge) {
    const auto word = [&](const char* name) {
      const auto found = challenge.words.find(name);
      return found == challenge.words.end() ? std::string() : found->second;
    };
    const RegistryAddress& address = login_.address;
    // A password goes to whoever the registry names, but in the open only where it did already.
    tokenUrl_ = word("realm");
    if (!tokenUrl_.starts_with("https://") &&
        !(tokenUrl_.starts_with("http://") && address.base.starts_with("http://"))) {
      return usageError("{}: the registry wants a token from '{}', and only https:// is asked",
                        what(), std::exchange(tokenUrl_, {}));
    }
    if (const std::string service = word("service"); !service.empty())
      addParameter(tokenUrl_, "service", service);
    addParameter(
        tokenUrl_, "scope",
        fmt::format("repository:{}:{}", address.repository, login_.writes ? "pull,push" : "pull"));
    return Next::kContinue;
  }

  Result<Next> takeToken(const HttpResponse& response) {
    const std::string what = "ask " + tokenUrl_ + " for a token";
    if (response.status == 401 || response.status == 403)
      return usageError(
          "{}; it does not take these credentials: look at USER:PASSWORD in --token-file, "
          "VINTAGE_TOKEN or docker's config.json{}",
          errorOfResponse(what, response).message, login_.address.hint);
    if (response.status != 200) return tl::unexpected(errorOfResponse(what, response));
    const auto json = parseOutsideJson(response.body).value_or(nlohmann::json());
    std::string token = textIn(json, "token");
    if (token.empty()) token = textIn(json, "access_token");
    if (token.empty() || token.find_first_of("\r\n") != std::string::npos)
      return unsupported("{}: the answer has no token", what);
    login_.authorization = "Bearer " + token;
    tokenUrl_.clear();
    return Next::kContinue;
  }

  std::unique_ptr<HttpExchange> exchange_;
  RegistryLogin& login_;
  std::string sent_;
  std::string tokenUrl_;  // Not empty: a token is asked for.
  // In a row, and all: a token may expire while a large blob is on its way.
  int refusals_ = 0, allRefusals_ = 0;
};

}  // namespace

std::unique_ptr<HttpExchange> authorized(std::unique_ptr<HttpExchange> exchange,
                                         RegistryLogin& login) {
  return std::make_unique<AuthorizedExchange>(std::move(exchange), login);
}

}  // namespace vintage::archive
