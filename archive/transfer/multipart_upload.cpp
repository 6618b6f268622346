#include "archive/transfer/bucket_request.h"
#include "archive/transfer/bucket_xml.h"

#include <utility>

#include <fmt/format.h>

#include "golden/base/failures.h"

namespace vintage::archive {
namespace {

using Next = HttpExchange::Next;

// How often an upload that vanishes is begun again.
constexpr int kRounds = 3;
bool isUploadGone(const HttpResponse& response) {
  const std::string code = errorCodeOf(response);
  return code == "NoSuchUpload" || (response.status == 404 && code.empty());
}

class MultipartUpload {
 public:
  MultipartUpload(HttpClient& http, const ObjectTarget& target, const ObjectParts& parts,
                  bool& conditional)
      : http_(http), target_(target), parts_(parts), conditional_(conditional) {}

  Status run() {
    bool alone = false;
    for (int round = 1;; ++round) {
      refused_ = again_ = wasThere_ = false;
      Status status = begin(alone);
      if (status) status = sendParts();
      if (status) status = complete();
      if (status) {
        if (wasThere_) abort();
        return {};
      }
      const bool begunHere = upload_ == begun_;
      if (again_) {
        const auto there = isThere();  // Another client's, or ours: the answer was lost.
        if (!there) return tl::unexpected(there.error());
        if (*there && begunHere) abort();
        if (*there) return {};
      }
      if (!again_ && !refused_) return status;  // Given up for now.
      const bool last = round == kRounds || (refused_ && begunHere);
      // An upload that was taken up may be in a state that only its owner can mend.
      alone = refused_ || round + 1 == kRounds;
      if (begunHere && (last || alone)) abort();
      if (last) return status;
    }
  }

 private:
  class PartExchange final : public HttpExchange {
   public:
    PartExchange(MultipartUpload& upload, size_t number)
        : HttpExchange(fmt::format("write part {} of {} of {}", number, upload.parts_.count(),
                                   upload.target_.objectUrl)),
          upload_(upload),
          number_(number) {
      request_.method = "PUT";
      request_.url = upload.target_.objectUrl;
      // In the order of their names, as the signature wants them.
      addParameter(request_.url, "partNumber", std::to_string(number));
      addParameter(request_.url, "uploadId", upload.upload_);
      request_.body = upload.parts_.part(number);
      request_.headers = {"Content-Type: application/octet-stream",
                          bodyHashHeader(contentHash(request_.body))};
      if (const std::string md5 = contentMd5(request_.body); !md5.empty())
        request_.headers.push_back("Content-MD5: " + md5);
    }

    Result<HttpRequest> request() override { return request_; }
    Result<Next> finish(HttpResponse& response) override {
      if (isUploadGone(response)) return upload_.again(what(), response);
      if (passesBy(response) || (foundOtherBytes(response) && ++otherBytes_ < kSendsOfOtherBytes))
        return Next::kRetry;
      if (response.status < 200 || response.status >= 300) return upload_.refused(what(), response);
      const std::string& etag = response.header("etag");
      if (etag.empty())
        return failure(Error::Kind::kBadInput, what() + ": the answer names no ETag");
      // With encryption by a customer's key, it is not an MD5, though it may look like one.
      const bool encrypted =
          response.headers.contains("x-amz-server-side-encryption") ||
          response.headers.contains("x-amz-server-side-encryption-customer-algorithm");
      if (!encrypted && whatEtagSays(etag, request_.body) == EtagSays::kOtherBytes) {
        const bool more = ++otherBytes_ < kSendsOfOtherBytes;
        upload_.refused_ |= !more;
        return failure(
            more ? Error::Kind::kBadInput : Error::Kind::kIo,
            fmt::format("{}: the server holds other bytes than Vintage sent: their MD5 is {}",
                        what(), etag));
      }
      upload_.etags_[number_ - 1] = etag;
      ++upload_.arrived_;
      return Next::kDone;
    }
    // One part after another may arrive while this one has bad luck.
    bool progressed() override {
      return std::exchange(arrivedBefore_, upload_.arrived_) != upload_.arrived_;
    }

   private:
    MultipartUpload& upload_;
    size_t number_;
    HttpRequest request_;
    int otherBytes_ = 0;
    size_t arrivedBefore_ = upload_.arrived_;
  };

  class CompleteExchange final : public HttpExchange {
   public:
    explicit CompleteExchange(MultipartUpload& upload)
        : HttpExchange(
              fmt::format("write {} of {} parts", upload.target_.objectUrl, upload.parts_.count())),
          upload_(upload) {
      body_ = "<CompleteMultipartUpload>";
      for (size_t number = 1; number <= upload.parts_.count(); ++number)
        body_ += fmt::format("<Part><PartNumber>{}</PartNumber><ETag>{}</ETag></Part>", number,
                             xmlEscaped(upload.etags_[number - 1]));
      body_ += "</CompleteMultipartUpload>";
    }

    Result<HttpRequest> request() override {
      HttpRequest request{"POST",
                          upload_.urlOf(upload_.upload_),
                          {"Content-Type: application/xml", bodyHashHeader(contentHash(body_))},
                          body_};
      sentCondition_ = upload_.conditional_;
      if (sentCondition_) request.headers.emplace_back("If-None-Match: *");
      return request;
    }
    // The server may begin its answer, a 200, before it knows how it ends.
    Result<Next> finish(HttpResponse& response) override {
      const std::string code = errorCodeOf(response);
      if (response.status == 200 && code.empty()) {
        const auto answer = parseXml(response.body);
        if (answer && answer->name == "CompleteMultipartUploadResult") return Next::kDone;
        return failure(Error::Kind::kBadInput,
                       what() + ": the answer does not say that the object is complete");
      }
      if (sentCondition_ && (response.status == 412 || code == "PreconditionFailed")) {
        upload_.wasThere_ = true;
        return Next::kDone;
      }
      if (isUploadGone(response) || code == "InvalidPart" || code == "InvalidPartOrder")
        return upload_.again(what(), response);
      if (sentCondition_ && refusesCondition(response)) {
        upload_.conditional_ = false;
        return Next::kContinue;
      }
      if (passesBy(response)) return Next::kRetry;
      if (response.status == 200 && (code == "InternalError" || code == "SlowDown" ||
                                     code == "ServiceUnavailable" || code == "RequestTimeout"))
        return failure(Error::Kind::kBadInput, errorOfResponse(what(), response).message);
      return upload_.refused(what(), response);
    }

   private:
    MultipartUpload& upload_;
    std::string body_;
    bool sentCondition_ = true;
  };

  // Takes up what is there, unless `alone`, or begins.
  Status begin(bool alone) {
    upload_.clear();
    etags_.assign(parts_.count(), {});
    if (!alone) {
      ASSIGN_OR_RETURN(auto unfinished, findUnfinished(http_, target_, parts_));
      if (unfinished) {
        upload_ = std::move(unfinished->id);
        etags_ = std::move(unfinished->etags);
        return {};
      }
    }
    HttpRequest request = requestWithoutBody("POST", target_.objectUrl);
    // With the "=" that the signature has, and that older libcurls do not add.
    addParameter(request.url, "uploads", "");
    request.headers.emplace_back("Content-Type: application/octet-stream");
    const std::string what = "begin to write " + target_.objectUrl;
    return http_.perform(std::make_unique<SimpleExchange>(
        what, std::move(request), "", [&, what](HttpResponse& response) -> Result<Next> {
          if (response.status != 200) return tl::unexpected(errorOfResponse(what, response));
          const auto answer = parseXml(response.body);
          upload_ = begun_ = answer ? answer->textOf("UploadId").value_or("") : "";
          if (!upload_.empty()) return Next::kDone;
          return badInput(
              "{}: the answer names no upload; is AWS_ENDPOINT_URL that of an S3-compatible "
              "server?",
              what);
        }));
  }

  Status sendParts() {
    size_t number = 0;
    return http_.perform([&]() -> std::unique_ptr<HttpExchange> {
      while (number < etags_.size() && !etags_[number].empty()) ++number;
      if (number == etags_.size()) return nullptr;
      return std::make_unique<PartExchange>(*this, ++number);
    });
  }

  Status complete() { return http_.perform(std::make_unique<CompleteExchange>(*this)); }
  // A courtesy: what cannot be removed costs space until the bucket's own rule.
  void abort() {
    static_cast<void>(http_.ask("remove the parts of " + target_.objectUrl,
                                requestWithoutBody("DELETE", urlOf(upload_))));
  }
  Result<bool> isThere() {
    bool there = false;
    RETURN_IF_ERROR(http_.perform(lookFor(target_.objectUrl, [&](bool found) { there = found; })));
    return there;
  }
  std::string urlOf(const std::string& upload) const {
    std::string url = target_.objectUrl;
    addParameter(url, "uploadId", upload);
    return url;
  }
  // A refusal that ends the upload.
  tl::unexpected<Error> refused(const std::string& what, const HttpResponse& response) {
    refused_ = true;
    return tl::unexpected(errorOfResponse(what, response));
  }

  // A refusal after which it begins again.
  tl::unexpected<Error> again(const std::string& what, const HttpResponse& response) {
    again_ = true;
    // Sending this request again is useless, whatever its status.
    Error error = errorOfResponse(what, response);
    if (error.kind == Error::Kind::kBadInput) error.kind = Error::Kind::kIo;
    return tl::unexpected(std::move(error));
  }

  HttpClient& http_;
  const ObjectTarget& target_;
  const ObjectParts& parts_;
  bool& conditional_;
  std::string upload_, begun_;  // The one at hand, and the last that began here.
  PartEtags etags_;
  size_t arrived_ = 0;  // Parts, in this run.
  bool refused_ = false, again_ = false, wasThere_ = false;
};

}  // namespace

Status uploadInParts(HttpClient& http, const ObjectTarget& target, const ObjectParts& parts,
                     bool& conditional) {
  return MultipartUpload(http, target, parts, conditional).run();
}

}  // namespace vintage::archive
