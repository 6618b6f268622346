// An exchange of one request, the same in each attempt.
#pragma once

#include <functional>
#include <string>
#include <utility>

#include "archive/transfer/http_client.h"
#include "archive/transfer/room.h"

namespace vintage::archive::transfer {

class SimpleExchange final : public HttpExchange {
 public:
  using Finish = std::function<Result<Next>(HttpResponse&)>;
  // `body` becomes the request's.
  SimpleExchange(std::string what, HttpRequest request, std::string body, Finish finish)
      : what_(std::move(what)),
        request_(std::move(request)),
        body_(std::move(body)),
        finish_(std::move(finish)) {}

  std::string what() const override { return what_; }
  Result<HttpRequest> request() override {
    HttpRequest request = request_;
    request.body = body_;
    return request;
  }
  Result<Next> finish(HttpResponse& response) override { return finish_(response); }

 private:
  std::string what_;
  HttpRequest request_;
  std::string body_;
  Finish finish_;
};

}  // namespace vintage::archive::transfer
