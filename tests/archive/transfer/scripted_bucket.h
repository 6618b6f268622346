// A bucket that takes objects in parts and keeps them in memory, and does what a
// test tells it instead where it asks for that.
#pragma once

#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <openssl/evp.h>

#include "tests/archive/transfer/scripted_server.h"

namespace vintage::tests::transfer {

inline std::string digestOf(const EVP_MD* kind, std::string_view bytes) {
  unsigned char digest[EVP_MAX_MD_SIZE];
  unsigned int length = 0;
  EVP_Digest(bytes.data(), bytes.size(), digest, &length, kind, nullptr);
  return std::string(reinterpret_cast<char*>(digest), length);
}
inline std::string inHex(const std::string& bytes) {
  std::string hex;
  for (const char byte : bytes) hex += fmt::format("{:02x}", static_cast<unsigned char>(byte));
  return hex;
}
inline std::string inBase64(const std::string& bytes) {
  std::vector<unsigned char> text((bytes.size() + 2) / 3 * 4 + 1);
  EVP_EncodeBlock(text.data(), reinterpret_cast<const unsigned char*>(bytes.data()),
                  static_cast<int>(bytes.size()));
  return reinterpret_cast<char*>(text.data());
}
inline std::string quotedMd5(std::string_view bytes) {
  return '"' + inHex(digestOf(EVP_md5(), bytes)) + '"';
}

class ScriptedBucket {
 public:
  struct Part {
    std::string bytes, etag;
  };
  // The operation of a request, by S3's names: "PutObject", "GetObject", "HeadObject",
  // "ListObjectsV2", "GetBucket" (of its versions and locks), "ListMultipartUploads", "ListParts",
  // "CreateMultipartUpload", "UploadPart", "CompleteMultipartUpload", "AbortMultipartUpload".
  static std::string operationOf(const ScriptedRequest& request) {
    const bool inUpload = request.target.find("uploadId=") != std::string::npos;
    const bool uploads = request.target.find("uploads=") != std::string::npos;
    if (request.method == "PUT") return inUpload ? "UploadPart" : "PutObject";
    if (request.method == "POST")
      return uploads ? "CreateMultipartUpload" : "CompleteMultipartUpload";
    if (request.method == "DELETE") return "AbortMultipartUpload";
    if (request.method == "HEAD") return "HeadObject";
    if (uploads) return "ListMultipartUploads";
    if (request.target.find("list-type=2") != std::string::npos) return "ListObjectsV2";
    for (const char* question : {"versioning=", "object-lock=", "versions="})
      if (request.target.find(question) != std::string::npos) return "GetBucket";
    return inUpload ? "ListParts" : "GetObject";
  }
  // Asked before each request, one at a time; what it gives is the answer, and the
  // bucket does nothing.
  using Override = std::function<std::optional<ScriptedReply>(
      ScriptedBucket&, const std::string& operation, const ScriptedRequest&)>;

  explicit ScriptedBucket(Override override = {})
      : override_(std::move(override)), server_([this](const ScriptedRequest& request) {
          const std::lock_guard lock(mutex_);
          const std::string operation = operationOf(request);
          ++counts_[operation];
          if (override_) {
            if (auto reply = override_(*this, operation, request)) return *reply;
          }
          return answer(operation, request);
        }) {}

  std::string url() const { return server_.url(); }
  void waitForClientsThatLeft() { server_.waitForClientsThatLeft(); }
  // Only where no request is under way, or from the override.
  int count(const std::string& operation) { return counts_[operation]; }
  std::map<std::string, std::string> objects;          // By path, as /bucket/key.
  std::map<std::string, std::map<int, Part>> uploads;  // By their ids.
  std::map<std::string, std::string> uploadPaths;

  std::string beginUpload(const std::string& path) {
    const std::string id = "2~upload/+=" + std::to_string(++made_);
    uploads[id];
    uploadPaths[id] = path;
    return id;
  }
  static ScriptedReply error(int status, const std::string& code) {
    return {status,
            {},
            "<?xml version=\"1.0\"?>\n<Error><Code>" + code +
                "</Code><Message>as scripted</Message></Error>"};
  }
  ScriptedReply answer(const std::string& operation, const ScriptedRequest& request) {
    const size_t question = request.target.find('?');
    const std::string path = request.target.substr(0, question);
    const std::string id = parameter(request.target, "uploadId");
    if (!bodyFits(request)) return error(400, "XAmzContentSHA256Mismatch");
    if (operation == "HeadObject") return {objects.contains(path) ? 200 : 404};
    if (operation == "GetBucket") return error(501, "NotImplemented");
    if (operation == "GetObject")
      return objects.contains(path) ? ScriptedReply{200, {}, objects[path]}
                                    : error(404, "NoSuchKey");
    if (operation == "ListObjectsV2") return listObjects(path + "/", request.target);
    if (operation == "ListMultipartUploads")
      return listUploads(parameter(request.target, "prefix"));
    if (operation == "CreateMultipartUpload")
      return {200,
              {},
              "<InitiateMultipartUploadResult><UploadId>" + beginUpload(path) +
                  "</UploadId></InitiateMultipartUploadResult>"};
    if (operation == "PutObject") {
      if (objects.contains(path) && !request.header("if-none-match").empty())
        return error(412, "PreconditionFailed");
      objects[path] = request.body;
      return {200};
    }
    const auto upload = uploads.find(id);
    if (upload == uploads.end() || uploadPaths[id] != path) return error(404, "NoSuchUpload");
    if (operation == "UploadPart") {
      const std::string etag = quotedMd5(request.body);
      upload->second[std::stoi(parameter(request.target, "partNumber"))] = {request.body, etag};
      return {200, {"ETag: " + etag}, ""};
    }
    if (operation == "ListParts")
      return listParts(upload->second, parameter(request.target, "part-number-marker"));
    if (operation == "CompleteMultipartUpload") return complete(path, id, request);
    uploads.erase(upload);
    return {204};
  }

 private:
  static std::string parameter(const std::string& target, const std::string& name) {
    for (size_t at = target.find('?'); at != std::string::npos; at = target.find('&', at + 1)) {
      if (target.compare(at + 1, name.size() + 1, name + "=") != 0) continue;
      const size_t from = at + name.size() + 2;
      std::string plain;
      for (size_t next = from; next < target.size() && target[next] != '&'; ++next) {
        if (target[next] == '%') {
          plain += static_cast<char>(std::stoi(target.substr(next + 1, 2), nullptr, 16));
          next += 2;
        } else {
          plain += target[next];
        }
      }
      return plain;
    }
    return {};
  }
  static bool bodyFits(const ScriptedRequest& request) {
    const std::string md5 = request.header("content-md5");
    return request.header("x-amz-content-sha256") == inHex(digestOf(EVP_sha256(), request.body)) &&
           (md5.empty() || md5 == inBase64(digestOf(EVP_md5(), request.body)));
  }
  // Three at a time.
  ScriptedReply listObjects(const std::string& bucket, const std::string& target) const {
    const std::string prefix = bucket + parameter(target, "prefix");
    const std::string token = parameter(target, "continuation-token");
    const bool folders = !parameter(target, "delimiter").empty();
    std::string list, last;
    int count = 0;
    bool isCut = false;
    for (const auto& [path, bytes] : objects) {
      if (!path.starts_with(prefix)) continue;
      const size_t slash = folders ? path.find('/', prefix.size()) : std::string::npos;
      const std::string key =
          path.substr(0, slash == std::string::npos ? slash : slash + 1).substr(bucket.size());
      if (key <= token || key == last) continue;
      isCut = count == 3;
      if (isCut) break;
      list += slash == std::string::npos
                  ? "<Contents><Key>" + key + "</Key></Contents>"
                  : "<CommonPrefixes><Prefix>" + key + "</Prefix></CommonPrefixes>";
      last = key;
      ++count;
    }
    return {200,
            {},
            fmt::format("<ListBucketResult><KeyCount>{}</KeyCount><IsTruncated>{}</IsTruncated>{}"
                        "<NextContinuationToken>{}</NextContinuationToken></ListBucketResult>",
                        count, isCut, list, last)};
  }
  // Those whose key begins so.
  ScriptedReply listUploads(const std::string& prefix) const {
    std::string body = "<ListMultipartUploadsResult><IsTruncated>false</IsTruncated>";
    for (const auto& [id, path] : uploadPaths) {
      const std::string key = path.substr(path.find('/', 1) + 1);
      if (uploads.contains(id) && key.starts_with(prefix))
        body += "<Upload><Key>" + key + "</Key><UploadId>" + id + "</UploadId></Upload>";
    }
    return {200, {}, body + "</ListMultipartUploadsResult>"};
  }
  // Two at a time.
  static ScriptedReply listParts(const std::map<int, Part>& parts, const std::string& marker) {
    std::string list;
    auto next = parts.upper_bound(marker.empty() ? 0 : std::stoi(marker));
    for (int count = 0; next != parts.end() && count < 2; ++next, ++count)
      list += fmt::format(
          "<Part><PartNumber>{}</PartNumber><ETag>&quot;{}&quot;</ETag><Size>{}</Size></Part>",
          next->first, next->second.etag.substr(1, 32), next->second.bytes.size());
    return {200,
            {},
            fmt::format("<ListPartsResult><IsTruncated>{}</IsTruncated>{}</ListPartsResult>",
                        next != parts.end(), list)};
  }
  ScriptedReply complete(const std::string& path, const std::string& id,
                         const ScriptedRequest& request) {
    if (objects.contains(path) && request.header("if-none-match") == "*")
      return error(412, "PreconditionFailed");
    std::string whole, wanted = "<CompleteMultipartUpload>";
    for (const auto& [number, part] : uploads[id]) {
      whole += part.bytes;
      wanted += fmt::format("<Part><PartNumber>{}</PartNumber><ETag>&quot;{}&quot;</ETag></Part>",
                            number, part.etag.substr(1, 32));
    }
    if (request.body != wanted + "</CompleteMultipartUpload>") return error(400, "InvalidPart");
    objects[path] = whole;
    uploads.erase(id);
    return {200, {}, "<CompleteMultipartUploadResult></CompleteMultipartUploadResult>"};
  }

  Override override_;
  std::mutex mutex_;
  std::map<std::string, int> counts_;
  int made_ = 0;
  ScriptedServer server_;
};

}  // namespace vintage::tests::transfer
