// Uploads in parts that were begun and not completed: what a bucket has of an
// object that is not there yet.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "archive/transfer/http_client.h"
#include "archive/transfer/object_parts.h"
#include "archive/transfer/room.h"
#include "golden/base/result.h"

namespace vintage::archive::transfer {

struct ObjectTarget {
  std::string bucketUrl, objectUrl;
  std::string key;  // In the bucket, with its prefix.
};

using PartEtags = std::vector<std::string>;  // In order; empty: the part is not there.

struct UnfinishedUpload {
  std::string id;
  PartEtags etags;  // ETags of the parts that have our bytes.
};

// That which has the most of the object. Empty where there is none, all are cut
// into other parts than ours, or the server does not say.
Result<std::optional<UnfinishedUpload>> findUnfinished(HttpClient& http, const ObjectTarget& target,
                                                       const ObjectParts& parts);

}  // namespace vintage::archive::transfer
