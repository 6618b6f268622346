// A registry that keeps blobs and manifests of one repository in memory, and does what a test tells
// it instead where it asks for that.
#pragma once

#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "golden/base/content_hash.h"
#include "tests/archive/transfer/scripted_server.h"

namespace vintage::tests::transfer {

class ScriptedRegistry {
 public:
  // "ping" of a token, "HEAD blob", "GET blob", "POST upload", "PATCH upload", "GET upload", "PUT
  // upload", "GET manifest", "PUT manifest", "GET referrers", "GET token".
  static std::string operationOf(const ScriptedRequest& request) {
    for (const char* kind : {"uploads", "blob", "manifest", "referrers", "token"})
      if (request.target.find(kind) != std::string::npos)
        return request.method + " " + (std::string(kind) == "uploads" ? "upload" : kind);
    return request.method;
  }
  // Called before each request, one at a time; its result is the answer.
  using Override = std::function<std::optional<ScriptedReply>(
      ScriptedRegistry&, const std::string& operation, const ScriptedRequest&)>;

  explicit ScriptedRegistry(Override override = {})
      : override_(std::move(override)), server_([this](const ScriptedRequest& request) {
          const std::lock_guard lock(mutex_);
          const std::string operation = operationOf(request);
          ++counts_[operation];
          if (override_) {
            if (auto reply = override_(*this, operation, request)) return *reply;
          }
          return answer(operation, request);
        }) {}

  std::string host() const { return server_.url().substr(std::string_view("http://").size()); }
  std::string place(const std::string& tag = "latest") const {
    return "oci://" + host() + "/team/archive:" + tag;
  }
  std::vector<ScriptedRequest> requests() const { return server_.requests(); }
  // Only where no request is under way, or from the override.
  int count(const std::string& operation) { return counts_[operation]; }
  void forgetCounts() { counts_.clear(); }

  std::map<std::string, std::string> blobs;      // By digest.
  std::map<std::string, std::string> manifests;  // By tag and by digest.
  std::map<std::string, std::string> uploads;    // The bytes of each so far.
  bool listsReferrers = true;
  int refusesReferrersWith = 404;
  std::string user;   // "name:password" in base64, which the token service wants; empty: anybody.
  std::string token;  // Needed by requests; empty: none is.

  static std::string digestOf(const std::string& text) { return "sha256:" + contentHash(text); }
  static ScriptedReply error(int status, const std::string& code) {
    return {
        status, {}, fmt::format(R"({{"errors":[{{"code":"{}","message":"as scripted"}}]}})", code)};
  }
  nlohmann::json manifest(const std::string& tag = "latest") {
    return nlohmann::json::parse(manifests.at(tag));
  }

  ScriptedReply answer(const std::string& operation, const ScriptedRequest& request) {
    if (operation == "GET token") {
      if (!user.empty() && request.header("authorization") != "Basic " + user)
        return error(401, "UNAUTHORIZED");
      return {200, {}, fmt::format(R"({{"token":"{}","expires_in":60}})", token)};
    }
    if (!token.empty() && request.header("authorization") != "Bearer " + token) {
      ScriptedReply reply = error(401, "UNAUTHORIZED");
      reply.headers.push_back(fmt::format(
          "WWW-Authenticate: Bearer realm=\"http://{}/token\",service=\"scripted\"", host()));
      return reply;
    }
    const size_t question = request.target.find('?');
    const std::string path = request.target.substr(0, question);
    const std::string name = path.substr(path.rfind('/') + 1);
    if (operation == "HEAD blob") return blobs.contains(name) ? ScriptedReply{200} : error(404, "");
    if (operation == "GET blob") return part(blobs, name, request.header("range"));
    if (operation == "POST upload") {
      const std::string id = std::to_string(++made_);
      uploads[id];
      return {202, {"Location: /v2/team/archive/blobs/uploads/" + id + "?state=s"}};
    }
    if (operation.ends_with(" upload")) return takeUpload(request, name, question);
    if (operation == "GET manifest" || operation == "HEAD manifest") {
      if (!manifests.contains(name)) return error(404, "MANIFEST_UNKNOWN");
      return {200, {"Docker-Content-Digest: " + digestOf(manifests[name])}, manifests[name]};
    }
    if (operation == "PUT manifest") return takeManifest(request, name);
    if (operation == "GET referrers") return referrers(name);
    return error(404, "UNSUPPORTED");
  }

 private:
  static ScriptedReply part(const std::map<std::string, std::string>& blobs,
                            const std::string& name, const std::string& range) {
    const auto found = blobs.find(name);
    if (found == blobs.end()) return error(404, "BLOB_UNKNOWN");
    if (range.empty()) return {200, {}, found->second};
    const size_t dash = range.find('-');
    const size_t from = std::stoul(range.substr(std::string_view("bytes=").size()));
    if (from >= found->second.size()) return error(416, "RANGE_INVALID");
    const size_t to =
        dash + 1 < range.size() ? std::stoul(range.substr(dash + 1)) : found->second.size() - 1;
    const std::string body = found->second.substr(from, to - from + 1);
    return {206,
            {fmt::format("Content-Range: bytes {}-{}/{}", from, from + body.size() - 1,
                         found->second.size())},
            body};
  }

  ScriptedReply takeUpload(const ScriptedRequest& request, const std::string& id, size_t question) {
    const auto upload = uploads.find(id);
    if (upload == uploads.end()) return error(404, "BLOB_UPLOAD_UNKNOWN");
    std::string& bytes = upload->second;
    const auto state = [&](int status) {
      return ScriptedReply{status,
                           {"Location: " + request.target,
                            fmt::format("Range: 0-{}", bytes.empty() ? 0 : bytes.size() - 1)}};
    };
    if (request.method == "GET") return state(204);
    if (request.method == "PATCH") {
      if (!request.header("content-range").starts_with(std::to_string(bytes.size()) + "-"))
        return error(416, "RANGE_INVALID");
      bytes += request.body;
      return state(202);
    }
    bytes += request.body;
    const std::string key = "digest=sha256%3A";
    const size_t at = request.target.find(key, question);
    const std::string digest = "sha256:" + request.target.substr(at + key.size());
    if (digestOf(bytes) != digest) {
      uploads.erase(upload);
      return error(400, "DIGEST_INVALID");
    }
    blobs[digest] = std::move(bytes);
    uploads.erase(upload);
    return {201};
  }

  ScriptedReply takeManifest(const ScriptedRequest& request, const std::string& name) {
    const auto json = nlohmann::json::parse(request.body);
    if (json.contains("layers"))
      for (const auto& layer : json["layers"])
        if (!blobs.contains(layer["digest"].get<std::string>()))
          return error(404, "MANIFEST_BLOB_UNKNOWN");
    manifests[name] = manifests[digestOf(request.body)] = request.body;
    ScriptedReply reply{201, {"Docker-Content-Digest: " + digestOf(request.body)}};
    if (json.contains("subject") && listsReferrers)
      reply.headers.push_back("OCI-Subject: " + json["subject"]["digest"].get<std::string>());
    return reply;
  }

  ScriptedReply referrers(const std::string& subject) const {
    if (!listsReferrers) return error(refusesReferrersWith, "UNSUPPORTED");
    auto list = nlohmann::json::array();
    for (const auto& [name, text] : manifests) {
      const auto json = nlohmann::json::parse(text);
      if (!name.starts_with("sha256:") || !json.contains("subject") ||
          json["subject"]["digest"] != subject)
        continue;
      list.push_back({{"mediaType", json["mediaType"]},
                      {"digest", name},
                      {"size", text.size()},
                      {"artifactType", json["artifactType"]}});
    }
    return {200, {}, nlohmann::json({{"schemaVersion", 2}, {"manifests", list}}).dump()};
  }

  std::mutex mutex_;
  Override override_;
  std::map<std::string, int> counts_;
  int made_ = 0;
  ScriptedServer server_;
};

}  // namespace vintage::tests::transfer
