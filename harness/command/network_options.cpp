#include "harness/command/network_options.h"

#include <cstdlib>
#include <fstream>
#include <iterator>

#include "golden/base/failures.h"

namespace vintage::harness::command {
namespace {

Result<std::string> findToken(const std::string& file) {
  if (file.empty()) {
    const char* token = std::getenv("VINTAGE_TOKEN");
    return token == nullptr ? std::string() : std::string(token);
  }
  std::ifstream stream(file, std::ios::binary);
  std::string token{std::istreambuf_iterator<char>(stream), {}};
  if (!stream) return usageError("--token-file: cannot read {}", file);
  while (!token.empty() && (token.back() == '\n' || token.back() == '\r' || token.back() == ' '))
    token.pop_back();
  return token;
}

Status checkToken(const std::string& token) {
  for (const char letter : token) {
    if (letter <= ' ' || letter > '~')
      return failure(Error::Kind::kUsage,
                     "the token holds a space, a line feed or another character that no token has; "
                     "is it the right file?");
  }
  return {};
}

}  // namespace

void NetworkOptions::addTo(CLI::App& app) {
  app.add_option("--jobs", jobs_, "Transfers at once")
      ->capture_default_str()
      ->check(CLI::Range(1, 256));
  app.add_option("--attempts", attempts_, "Attempts in a row without progress")
      ->capture_default_str()
      ->check(CLI::Range(1, 100));
  app.add_option("--token-file", tokenFile_,
                 "A file with the token for a service (or VINTAGE_TOKEN in the environment)");
  app.add_option(
      "--ca-certificate", caCertificate_,
      "A PEM file with the authority that signed the server's certificate");
  app.add_option("--partial", partialFolder_,
                 "Keep parts of interrupted downloads here (default: "
                 "~/.cache/vintage/partial); empty: nowhere");
}

Result<PlaceOptions> NetworkOptions::placeOptions() const {
  PlaceOptions options;
  options.jobs = jobs_;
  options.caCertificate = caCertificate_;
  options.partialFolder = partialFolder_ ? *partialFolder_ : defaultPartialFolder();
  options.retry.attempts = attempts_;
  ASSIGN_OR_RETURN(auto token, findToken(tokenFile_));
  RETURN_IF_ERROR(checkToken(token));
  options.token = std::move(token);
  return options;
}

}  // namespace vintage::harness::command
