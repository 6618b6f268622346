// Objects in an S3-compatible bucket below one prefix, with keys that are
// relative to it. Requests are signed by libcurl (AWS Signature Version 4) and
// address the bucket in the path, which every such server understands.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "archive/transfer/bucket_xml.h"
#include "archive/transfer/http_client.h"
#include "archive/transfer/object_store.h"

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

class BucketClient final : public ArchiveObjects {
 public:
  BucketClient(BucketAddress address, const PlaceOptions& options);

  const std::string& name() const override { return address_.location; }
  Result<std::vector<std::string>> list(const std::string& keyPrefix) override {
    return list(keyPrefix, false);
  }
  Result<std::vector<std::string>> folders(const std::string& keyPrefix) override {
    return list(keyPrefix, true);
  }
  Result<std::vector<std::string>> missing(std::vector<std::string> keys) override;
  // Large ones go in parts, after the others.
  Status put(const Next& next) override;
  Status read(std::span<const WantedObject> wanted, const Place::ContentVisitor& take,
              const Place::LostVisitor& lost) override;
  Status remove(const std::string& key) override;
  Status readVersions(std::span<const WantedObject> wanted,
                      const Place::ContentVisitor& take) override;
  Result<std::string> protection() override;
  Result<std::string> readSmall(
      const std::string& key,
      const Check& check = [](const std::string&) { return Status(); }) override;

  TransferCounts counts() const override { return http_.counts(); }

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
};

}  // namespace vintage::archive
