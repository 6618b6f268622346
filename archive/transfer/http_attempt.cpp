#include "archive/transfer/http_attempt.h"

#include <algorithm>
#include <charconv>
#include <cstring>

#include <fmt/format.h>

namespace vintage::archive {

HttpAttempt::HttpAttempt(CURL* handle, const HttpOptions& options, HttpRequest request,
                         HttpExchange& exchange)
    : handle_(handle), request_(std::move(request)), exchange_(exchange) {
  setUp(options);
}

HttpAttempt::~HttpAttempt() { ::curl_slist_free_all(headers_); }

void HttpAttempt::setUp(const HttpOptions& options) {
  const auto set = [&](CURLoption option, auto value) { ::curl_easy_setopt(handle_, option, value); };
  set(CURLOPT_URL, request_.url.c_str());
  set(CURLOPT_HTTP_VERSION, static_cast<long>(CURL_HTTP_VERSION_1_1));
  set(CURLOPT_PROTOCOLS_STR, "http,https");
  set(CURLOPT_NOSIGNAL, 1L);
  set(CURLOPT_FOLLOWLOCATION, 0L);
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
    set(CURLOPT_UPLOAD, 1L);
    set(CURLOPT_CUSTOMREQUEST, request_.method.c_str());
    set(CURLOPT_INFILESIZE_LARGE, static_cast<curl_off_t>(request_.body.size()));
    set(CURLOPT_READFUNCTION, &HttpAttempt::onRead);
    set(CURLOPT_READDATA, this);
    set(CURLOPT_SEEKFUNCTION, &HttpAttempt::onSeek);
    set(CURLOPT_SEEKDATA, this);
    set(CURLOPT_UPLOAD_BUFFERSIZE, 256L * 1024);
  }
  set(CURLOPT_BUFFERSIZE, 256L * 1024);
  set(CURLOPT_HEADERFUNCTION, &HttpAttempt::onHeader);
  set(CURLOPT_HEADERDATA, this);
  set(CURLOPT_WRITEFUNCTION, &HttpAttempt::onBody);
  set(CURLOPT_WRITEDATA, this);
}

size_t HttpAttempt::onHeader(char* data, size_t size, size_t count, void* self) {
  HttpResponse& response = static_cast<HttpAttempt*>(self)->response_;
  std::string_view line(data, size * count);
  while (!line.empty() && (line.back() == '\r' || line.back() == '\n')) line.remove_suffix(1);
  if (line.starts_with("HTTP/")) {
    response = {};  // After a "100 Continue".
    const size_t space = line.find(' ');
    if (space != std::string_view::npos)
      std::from_chars(line.data() + space + 1, line.data() + line.size(), response.status);
    return size * count;
  }
  const size_t colon = line.find(':');
  if (colon == std::string_view::npos) return size * count;
  std::string name(line.substr(0, colon));
  std::transform(name.begin(), name.end(), name.begin(), [](char letter) {
    return letter >= 'A' && letter <= 'Z' ? static_cast<char>(letter - 'A' + 'a') : letter;
  });
  std::string_view value = line.substr(colon + 1);
  while (!value.empty() && value.front() == ' ') value.remove_prefix(1);
  response.headers[name] = value;
  return size * count;
}

size_t HttpAttempt::onBody(char* data, size_t size, size_t count, void* self) {
  HttpAttempt& attempt = *static_cast<HttpAttempt*>(self);
  const size_t bytes = size * count;
  attempt.received_ += bytes;
  HttpResponse& response = attempt.response_;
  if (response.status >= 200 && response.status < 300) {
    attempt.receiveStatus_ =
        attempt.exchange_.receive(response, std::as_bytes(std::span(data, bytes)));
    return attempt.receiveStatus_ ? bytes : 0;
  }
  // An explanation; the rest of a long one is read and dropped.
  constexpr size_t kLongest = 64 * 1024;
  response.body.append(data, std::min(bytes, kLongest - std::min(kLongest, response.body.size())));
  return bytes;
}

size_t HttpAttempt::onRead(char* data, size_t size, size_t count, void* self) {
  HttpAttempt& attempt = *static_cast<HttpAttempt*>(self);
  const size_t bytes = std::min(size * count, attempt.request_.body.size() - attempt.bodyAt_);
  std::memcpy(data, attempt.request_.body.data() + attempt.bodyAt_, bytes);
  attempt.bodyAt_ += bytes;
  attempt.sent_ += bytes;
  return bytes;
}

// libcurl rewinds where a kept connection turns out to have been closed.
int HttpAttempt::onSeek(void* self, curl_off_t offset, int origin) {
  HttpAttempt& attempt = *static_cast<HttpAttempt*>(self);
  if (origin != SEEK_SET || offset < 0 ||
      static_cast<uint64_t>(offset) > attempt.request_.body.size())
    return CURL_SEEKFUNC_FAIL;
  attempt.bodyAt_ = static_cast<size_t>(offset);
  return CURL_SEEKFUNC_OK;
}

uint64_t HttpAttempt::connections() const {
  long connections = 0;
  ::curl_easy_getinfo(handle_, CURLINFO_NUM_CONNECTS, &connections);
  return static_cast<uint64_t>(std::max(0L, connections));
}

bool HttpAttempt::wholeAnswer() const {
  const std::string& stated = response_.header("content-length");
  uint64_t bytes = 0;
  const auto [end, problem] =
      std::from_chars(stated.data(), stated.data() + stated.size(), bytes);
  return problem == std::errc() && end == stated.data() + stated.size() && received_ >= bytes;
}

bool HttpAttempt::isTransient(CURLcode code) {
  switch (code) {
    case CURLE_COULDNT_RESOLVE_PROXY:
    case CURLE_COULDNT_RESOLVE_HOST:
    case CURLE_COULDNT_CONNECT:
    case CURLE_WEIRD_SERVER_REPLY:
    case CURLE_PARTIAL_FILE:
    case CURLE_OPERATION_TIMEDOUT:
    case CURLE_SSL_CONNECT_ERROR:
    case CURLE_GOT_NOTHING:
    case CURLE_SEND_ERROR:
    case CURLE_RECV_ERROR:
    case CURLE_SEND_FAIL_REWIND: return true;
    default: return false;
  }
}

Error HttpAttempt::transportError(CURLcode code, const std::string& what) const {
  std::string message = fmt::format("{}: {}", what, ::curl_easy_strerror(code));
  if (errorText_[0] != '\0') message += fmt::format(" ({})", static_cast<const char*>(errorText_));
  Error::Kind kind = Error::Kind::kIo;
  switch (code) {
    case CURLE_PEER_FAILED_VERIFICATION:
    case CURLE_SSL_CACERT_BADFILE:
      message += "; name the certificate of its issuer with --ca-certificate FILE";
      kind = Error::Kind::kUsage;
      break;
    case CURLE_URL_MALFORMAT:
    case CURLE_UNSUPPORTED_PROTOCOL: kind = Error::Kind::kUsage; break;
    case CURLE_OUT_OF_MEMORY: kind = Error::Kind::kResource; break;
    default: break;
  }
  return {kind, std::move(message)};
}

}  // namespace vintage::archive
