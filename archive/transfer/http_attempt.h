// One request on one libcurl handle: its options, and what came back.
#pragma once

#include <chrono>
#include <string>

#include <curl/curl.h>

#include "archive/transfer/http_client.h"

namespace vintage::archive {

class HttpAttempt {
 public:
  // Sets up `handle`, which must outlive the attempt, as must the others.
  HttpAttempt(CURL* handle, const HttpOptions& options, HttpRequest request, HttpExchange& exchange);
  ~HttpAttempt();
  HttpAttempt(const HttpAttempt&) = delete;
  HttpAttempt& operator=(const HttpAttempt&) = delete;

  HttpResponse& response();
  // An error of HttpExchange::receive().
  const Status& receiveStatus() const { return receiveStatus_; }
  TransferCounts counts() const;
  // What the server asks to wait, by Retry-After; 0: nothing.
  std::chrono::seconds askedPause() const;
  // Whether all of the body that the headers announce has arrived.
  bool wholeAnswer() const;

  static bool isTransient(CURLcode code);
  Error transportError(CURLcode code, const std::string& what) const;

 private:
  void setUp(const HttpOptions& options);
  static size_t onBody(char* data, size_t size, size_t count, void* self);

  CURL* handle_;
  HttpRequest request_;
  HttpExchange& exchange_;
  HttpResponse response_;
  Status receiveStatus_;
  curl_slist* headers_ = nullptr;
  char errorText_[CURL_ERROR_SIZE] = "";
};

}  // namespace vintage::archive
