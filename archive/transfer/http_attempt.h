// One request on one libcurl handle: its options, and what came back.
#pragma once

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <string>
#include <utility>

#include <curl/curl.h>
#include <fcntl.h>
#include <unistd.h>

#include <fmt/format.h>

#include "archive/transfer/http_client.h"
#include "golden/base/lowercase.h"

namespace vintage::archive {

class HttpAttempt {
 public:
  // Sets up `handle`, which must outlive the attempt, as must the others.
  HttpAttempt(CURL* handle, const HttpOptions& options, HttpRequest request, HttpExchange& exchange)
      : handle_(handle), request_(std::move(request)), exchange_(exchange) {
    setUp(options);
  }
  ~HttpAttempt() { ::curl_slist_free_all(headers_); }
  HttpAttempt(const HttpAttempt&) = delete;

  HttpResponse& response() {
    if (response_.status != 0) return response_;
    long status = 0;
    ::curl_easy_getinfo(handle_, CURLINFO_RESPONSE_CODE, &status);
    response_.status = static_cast<int>(status);
    for (curl_header* header = nullptr;
         (header = ::curl_easy_nextheader(handle_, CURLH_HEADER, -1, header)) != nullptr;) {
      response_.headers[lowercase(header->name)] = header->value;
    }
    return response_;
  }

  // An error of HttpExchange::receive().
  const Status& receiveStatus() const { return receiveStatus_; }

  TransferCounts counts() const {
    long connections = 0;
    curl_off_t sent = 0, received = 0;
    ::curl_easy_getinfo(handle_, CURLINFO_NUM_CONNECTS, &connections);
    ::curl_easy_getinfo(handle_, CURLINFO_SIZE_UPLOAD_T, &sent);
    ::curl_easy_getinfo(handle_, CURLINFO_SIZE_DOWNLOAD_T, &received);
    return {.connections = static_cast<uint64_t>(std::max(0L, connections)),
            .bytesSent = static_cast<uint64_t>(sent),
            .bytesReceived = static_cast<uint64_t>(received)};
  }

  // The pause that the server asks for in Retry-After; 0: none.
  std::chrono::seconds askedPause() const {
    curl_off_t seconds = 0;
    ::curl_easy_getinfo(handle_, CURLINFO_RETRY_AFTER, &seconds);
    // A year; what is longer means the same: do not wait for it.
    return std::chrono::seconds(std::clamp<curl_off_t>(seconds, 0, 365 * 86'400));
  }
  // Whether all of the body that the headers announce has arrived.
  bool wholeAnswer() const {
    curl_off_t stated = -1, received = 0;
    ::curl_easy_getinfo(handle_, CURLINFO_CONTENT_LENGTH_DOWNLOAD_T, &stated);
    ::curl_easy_getinfo(handle_, CURLINFO_SIZE_DOWNLOAD_T, &received);
    return stated >= 0 && received >= stated;
  }

  static bool isTransient(CURLcode code) {
    constexpr CURLcode kTransient[] = {CURLE_COULDNT_RESOLVE_PROXY,
                                       CURLE_COULDNT_RESOLVE_HOST,
                                       CURLE_COULDNT_CONNECT,
                                       CURLE_WEIRD_SERVER_REPLY,
                                       CURLE_PARTIAL_FILE,
                                       CURLE_OPERATION_TIMEDOUT,
                                       CURLE_SSL_CONNECT_ERROR,
                                       CURLE_GOT_NOTHING,
                                       CURLE_SEND_ERROR,
                                       CURLE_RECV_ERROR,
                                       CURLE_SEND_FAIL_REWIND};
    return std::ranges::find(kTransient, code) != std::end(kTransient);
  }

  Error transportError(CURLcode code, const std::string& what) const {
    std::string message = fmt::format("{}: {}", what, ::curl_easy_strerror(code));
    if (errorText_[0] != '\0')
      message += fmt::format(" ({})", static_cast<const char*>(errorText_));
    if (code == CURLE_COULDNT_CONNECT && !hasDescriptors())
      return {Error::Kind::kResource,
              message +
                  "; the process may open no more files: raise its limit (ulimit -n), or "
                  "lower --jobs"};
    if (const std::string proxy = proxyInUse(); !proxy.empty()) message += "; " + proxy;
    if (code == CURLE_GOT_NOTHING && what.find("http://") != std::string::npos)
      message += "; a service with a certificate is reached by https://";
    const bool untrusted =
        code == CURLE_PEER_FAILED_VERIFICATION || code == CURLE_SSL_CACERT_BADFILE;
    if (untrusted) message += "; name the certificate of its issuer with --ca-certificate FILE";
    if (untrusted || code == CURLE_URL_MALFORMAT || code == CURLE_UNSUPPORTED_PROTOCOL)
      return {Error::Kind::kUsage, std::move(message)};
    return {code == CURLE_OUT_OF_MEMORY ? Error::Kind::kResource : Error::Kind::kIo,
            std::move(message)};
  }

 private:
  // libcurl does not say that a socket could not be made.
  static bool hasDescriptors() {
    const int spare = ::open("/", O_PATH | O_CLOEXEC);
    if (spare < 0) return errno != EMFILE && errno != ENFILE;
    ::close(spare);
    return true;
  }

  // Which variable of the environment names a proxy for this request. Its value may hold a
  // password.
  std::string proxyInUse() const {
    const bool isSecure = request_.url.starts_with("https:");
    // In the order in which libcurl looks; it does not take HTTP_PROXY, which a CGI's client sets.
    for (const char* name : {isSecure ? "https_proxy" : "http_proxy",
                             isSecure ? "HTTPS_PROXY" : "http_proxy", "all_proxy", "ALL_PROXY"}) {
      const char* value = std::getenv(name);
      if (value != nullptr && *value != '\0')
        return fmt::format(
            "{} in the environment names a proxy, which the request goes through unless "
            "no_proxy excepts its host",
            name);
    }
    return {};
  }

  void setUp(const HttpOptions& options) {
    const auto set = [&](CURLoption option, auto value) {
      ::curl_easy_setopt(handle_, option, value);
    };
    set(CURLOPT_URL, request_.url.c_str());
    set(CURLOPT_HTTP_VERSION, static_cast<long>(CURL_HTTP_VERSION_1_1));
    set(CURLOPT_PROTOCOLS_STR, "http,https");
    set(CURLOPT_NOSIGNAL, 1L);
    set(CURLOPT_FOLLOWLOCATION, request_.followsRedirects ? 1L : 0L);
    set(CURLOPT_MAXREDIRS, 5L);
    if (request_.url.starts_with("https:")) set(CURLOPT_REDIR_PROTOCOLS_STR, "https");
    set(CURLOPT_PATH_AS_IS, 1L);
    set(CURLOPT_USERAGENT, "vintage");
    set(CURLOPT_ERRORBUFFER, errorText_);
    set(CURLOPT_CONNECTTIMEOUT, static_cast<long>(options.connectTimeout.count()));
    set(CURLOPT_LOW_SPEED_LIMIT, 1L);
    set(CURLOPT_LOW_SPEED_TIME, static_cast<long>(options.stallTimeout.count()));
    if (!options.caCertificate.empty()) set(CURLOPT_CAINFO, options.caCertificate.c_str());
    if (!options.accessKey.empty()) {
      set(CURLOPT_AWS_SIGV4, fmt::format("aws:amz:{}:s3", options.region).c_str());
      set(CURLOPT_USERNAME, options.accessKey.c_str());
      set(CURLOPT_PASSWORD, options.secretKey.c_str());
    }

    const auto add = [&](const std::string& line) {
      headers_ = ::curl_slist_append(headers_, line.c_str());
    };
    for (const std::string& line : options.headers) add(line);
    for (const std::string& line : request_.headers) add(line);
    // A refusal is cheap to find out at our sizes; waiting for a "100 Continue"
    // that some servers never send is not. (In a signed request libcurl 7.88 would
    // sign the header that it leaves out.)
    if (options.accessKey.empty()) add("Expect:");
    set(CURLOPT_EXPECT_100_TIMEOUT_MS, 100L);
    set(CURLOPT_HTTPHEADER, headers_);

    if (request_.method == "HEAD") {
      set(CURLOPT_NOBODY, 1L);
    } else if (request_.method == "GET") {
      set(CURLOPT_HTTPGET, 1L);
    } else if (request_.method == "DELETE") {
      set(CURLOPT_CUSTOMREQUEST, "DELETE");
    } else {
      set(CURLOPT_POSTFIELDSIZE_LARGE, static_cast<curl_off_t>(request_.body.size()));
      set(CURLOPT_POSTFIELDS, request_.body.empty() ? "" : request_.body.data());
      set(CURLOPT_CUSTOMREQUEST, request_.method.c_str());
      set(CURLOPT_UPLOAD_BUFFERSIZE, 256L * 1024);
    }
    set(CURLOPT_BUFFERSIZE, 256L * 1024);
    set(CURLOPT_WRITEFUNCTION, &HttpAttempt::onBody);
    set(CURLOPT_WRITEDATA, this);
  }

  static size_t onBody(char* data, size_t size, size_t count, void* self) {
    HttpAttempt& attempt = *static_cast<HttpAttempt*>(self);
    const size_t bytes = size * count;
    HttpResponse& response = attempt.response();
    if (response.status >= 200 && response.status < 300) {
      attempt.receiveStatus_ =
          attempt.exchange_.receive(response, std::as_bytes(std::span(data, bytes)));
      return attempt.receiveStatus_ ? bytes : 0;
    }
    // An explanation; the rest of a long one is read and dropped.
    constexpr size_t kLongest = 64 * 1024;
    response.body.append(data,
                         std::min(bytes, kLongest - std::min(kLongest, response.body.size())));
    return bytes;
  }

  CURL* handle_;
  HttpRequest request_;
  HttpExchange& exchange_;
  HttpResponse response_;
  Status receiveStatus_;
  curl_slist* headers_ = nullptr;
  char errorText_[CURL_ERROR_SIZE] = "";
};

}  // namespace vintage::archive
