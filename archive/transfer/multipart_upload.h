// One large object to a bucket in parts (S3's multipart upload), several at once.
//
// Continues an interrupted upload of the same key, whichever client began it: keeps
// its parts whose size and MD5 match, and sends the others. Leaves uploads with
// parts of other sizes alone. So two clients may share one upload: one completes
// it, the other then finds the object.
#pragma once

#include <string>

#include "archive/transfer/http_client.h"
#include "archive/transfer/object_parts.h"
#include "archive/transfer/room.h"
#include "golden/base/result.h"

namespace vintage::archive::transfer {

class MultipartUpload {
 public:
  // `conditional` is cleared where the server does not know If-None-Match. All
  // must outlive it.
  MultipartUpload(HttpClient& http, ObjectTarget target, ObjectParts parts, bool& conditional);

  // The object is there afterwards, by us or by another client: never overwritten.
  // What is refused is removed if it was begun here; what was given up stays, and
  // a later run takes it up.
  Status run();

 private:
  class PartExchange;
  class CompleteExchange;

  // Takes up what is there, unless `alone`, or begins.
  Status begin(bool alone);
  Status sendParts();
  Status complete();
  void abort();
  Result<bool> isThere();
  std::string urlOf(const std::string& upload) const;
  // A refusal that ends the upload, and one after which it begins again.
  tl::unexpected<Error> refused(const std::string& what, const HttpResponse& response);
  tl::unexpected<Error> again(const std::string& what, const HttpResponse& response);

  HttpClient& http_;
  ObjectTarget target_;
  ObjectParts parts_;
  bool& conditional_;
  std::string upload_, begun_;  // The one at hand, and the last that began here.
  PartEtags etags_;
  size_t arrived_ = 0;  // Parts, in this run.
  bool refused_ = false, again_ = false, wasThere_ = false;
};

}  // namespace vintage::archive::transfer
