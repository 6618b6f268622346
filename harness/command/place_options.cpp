#include "harness/command/place_options.h"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>

#include <nlohmann/json.hpp>

#include "golden/base/failures.h"

namespace vintage::harness {
using namespace archive;

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
      return usageError(
          "the token holds a space, a line feed or another character that no token has; "
          "is it the right file?");
  }
  return {};
}

// A folder as everybody on this machine would name it; other places as they are.
std::string placeName(const std::string& place) {
  if (place.find("://") != std::string::npos) return place;
  std::error_code unknown;
  return std::filesystem::weakly_canonical(place, unknown).string();
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
  app.add_option("--ca-certificate", caCertificate_,
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

void SourceTrust::addTo(CLI::App& app) {
  app.add_option("--public-key", publicKey_,
                 "Copy only from a source whose newest signed list is by this key, or by one that "
                 "follows it (docs/mirroring.md)");
  app.add_option("--pins", pins_,
                 "Where the newest list that was seen of each source is remembered (default: "
                 "~/.local/state/vintage/pins.json); empty: nowhere");
  app.add_flag("--without-lists", withoutLists_, "Leave signed lists out, and check none");
}

Status SourceTrust::prepare(const std::string& source, MirrorOptions& options) {
  if (withoutLists_ && !publicKey_.empty())
    return usageError("--public-key needs the lists that --without-lists leaves out");
  options.lists = !withoutLists_;
  options.source = source_ = placeName(source);
  if (withoutLists_) return {};
  if (!publicKey_.empty()) {
    ASSIGN_OR_RETURN(key_, SigningKey::readPublicFile(publicKey_));
    options.trustedKey = &*key_;
  }
  const PinFile pins(pins_ ? *pins_ : PinFile::defaultPath());
  if (pins.path().empty()) return {};
  if (!key_) {
    ASSIGN_OR_RETURN(options.pins, pins.ofPlace(source_));
    return {};
  }
  ASSIGN_OR_RETURN(const auto pin, pins.find(source_, key_->fingerprint()));
  if (pin) options.pins = {*pin};
  return {};
}

Status SourceTrust::remember(const MirrorSummary& summary) const {
  const PinFile pins(pins_ ? *pins_ : PinFile::defaultPath());
  if (!summary.seen || !key_ || pins.path().empty()) return {};
  return pins.put(source_, key_->fingerprint(), *summary.seen);
}

nlohmann::json SourceTrust::toJson(const std::optional<Pin>& list) {
  if (!list) return nullptr;
  return {
      {"counter", list->counter}, {"hash", list->list}, {"key", list->key}, {"date", list->date}};
}

}  // namespace vintage::harness
