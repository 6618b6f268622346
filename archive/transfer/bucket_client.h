// Objects in an S3-compatible bucket below one prefix, with keys that are
// relative to it. Requests are signed by libcurl (AWS Signature Version 4) and
// address the bucket in the path, which every such server understands.
#pragma once

#include <functional>
#include <memory>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "archive/transfer/bucket_xml.h"
#include "archive/transfer/http_client.h"
#include "archive/transfer/place.h"

namespace vintage::archive {

struct BucketAddress {
  std::string location;  // As a person would type it.
  std::string endpoint;  // "https://s3.eu-central-1.amazonaws.com", without a slash at the end.
  std::string bucket, prefix;  // The prefix without slashes at its ends; may be empty.
  std::string region, accessKey, secretKey, sessionToken;

  // From "s3://BUCKET/PREFIX" and AWS_* in the environment. kUsage names the
  // variable that is missing.
  static Result<BucketAddress> find(const std::string& location);
};

struct StoredObject {
  std::string key;
  ContentId hash;  // SHA-256 of the bytes; a bucket's server checks it.
  Bytes bytes;

  std::string_view body() const {
    return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
  }
};

struct WantedObject {
  std::string key;
  WantedContent content;
};

// Objects by their keys, in a bucket below a prefix, or in a folder (archive/backup/backup.h). An
// object survives a power cut once put() has returned. One thread at a time.
class ObjectStore {
 public:
  virtual ~ObjectStore() = default;
  // As a person would type it.
  virtual const std::string& name() const = 0;
  // All keys that begin so, which is up to a slash; none where nothing is there.
  virtual Result<std::vector<std::string>> list(const std::string& keyPrefix) = 0;
  // Makes objects that list() returned durable too: their writer may have been killed.
  virtual Status settle() { return {}; }
  // Existing objects stay. `next` is called until it returns null.
  using Next = std::function<std::unique_ptr<StoredObject>()>;
  virtual Status put(const Next& next) = 0;
  Status putAll(std::vector<StoredObject> objects);
  // Objects whose bytes hash to their content's id, in any order. `lost` gets what is missing or
  // damaged; the others go on. An error of either ends it.
  virtual Status read(std::span<const WantedObject> wanted, const Place::ContentVisitor& take,
                      const Place::LostVisitor& lost) = 0;
};

class BucketClient final : public ObjectStore {
 public:
  BucketClient(BucketAddress address, const PlaceOptions& options);

  const std::string& name() const override { return address_.location; }
  Result<std::vector<std::string>> list(const std::string& keyPrefix) override {
    return list(keyPrefix, false);
  }
  // Names up to the next slash.
  Result<std::vector<std::string>> folders(const std::string& keyPrefix) {
    return list(keyPrefix, true);
  }
  // Those of the keys that are not there.
  Result<std::vector<std::string>> missing(std::vector<std::string> keys);
  // Overwrites what was distrusted. Large ones go in parts, after the others.
  Status put(const Next& next) override;
  Status read(std::span<const WantedObject> wanted, const Place::ContentVisitor& take,
              const Place::LostVisitor& lost) override;
  // Marks the object under the key as damaged: the next put of it replaces it.
  void distrust(const std::string& key) { distrusted_.insert(key); }
  bool distrusts(const std::string& key) const { return distrusted_.contains(key); }
  // Where the bucket keeps versions, the object only hides.
  Status remove(const std::string& key);
  // Objects as they were before, in a bucket that keeps versions: whatever hashes to its id.
  Status readVersions(std::span<const WantedObject> wanted, const Place::ContentVisitor& take);
  // "versions are kept; object lock: GOVERNANCE for 30 days", as the bucket says.
  Result<std::string> protection();
  // A small object; kNotFound. It is asked for again where `check` returns kBadInput.
  Result<std::string> readSmall(
      const std::string& key, const std::function<Status(const std::string&)>& check =
                                  [](const std::string&) { return Status(); });

  const TransferCounts& counts() const { return http_.counts(); }

 private:
  // A key with the prefix.
  std::string whole(const std::string& key) const;
  std::string url(const std::string& key) const;
  Result<std::vector<std::string>> list(const std::string& keyPrefix, bool folders);
  // The body of a 200; empty for a status in `none`.
  Result<std::string> read(const std::string& what, const std::string& url,
                           std::initializer_list<int> none,
                           const std::function<Status(const std::string&)>& check = {});
  // The answer to a question about the bucket, as "versioning"; empty where it gives none.
  Result<XmlElement> ask(const std::string& question);

  BucketAddress address_;
  std::string bucketUrl_, partialFolder_;
  size_t multipartBytes_, partBytes_;
  HttpClient http_;
  // Cleared where the server says that it does not know If-None-Match.
  bool conditional_ = true;
  // Set where the server wants the MD5 too, as buckets with object lock do.
  bool withMd5_ = false;
  std::set<std::string> distrusted_;
};

}  // namespace vintage::archive
