// One connection's bytes to the service without a socket: parsed, routed and
// answered in process. For the random tests and the fuzzer.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "archive/service/application.h"
#include "archive/service/http_messages.h"

namespace vintage::tests::service {

// The responses to the requests that `bytes` hold, until one ends the connection.
inline std::vector<archive::Response> answerBytes(archive::Application& application,
                                                  std::string_view bytes,
                                                  const std::string& authorization = "") {
  std::vector<archive::Response> responses;
  while (!bytes.empty()) {
    archive::RequestReader reader(application.options.limits.headerBytes);
    size_t used = 0;
    const auto head = reader.readHead(bytes, used);
    bytes.remove_prefix(used);
    if (!head) {
      responses.push_back(archive::respond(head.error()));
      return responses;
    }
    if (!*head) return responses;
    archive::Request request;
    request.peer = "test:1";
    if (const auto described = reader.describe(request); !described) {
      responses.push_back(archive::respond(described.error()));
      return responses;
    }
    if (!authorization.empty() && request.header("authorization") == nullptr)
      request.headers.emplace_back("authorization", authorization);
    if (const auto admitted = application.admit(request); !admitted) {
      responses.push_back(archive::respond(admitted.error()));
      if (request.hasBody()) return responses;
      continue;
    }
    std::unique_ptr<archive::BodySink> sink;
    if (request.route->body == archive::BodyForm::kStream) {
      auto opened = request.route->sink({application, request});
      if (!opened) {
        responses.push_back(archive::respond(opened.error()));
        return responses;
      }
      sink = std::move(*opened);
    }
    std::vector<std::byte> piece(4096);
    while (!reader.bodyDone()) {
      const auto got = reader.readBody(bytes, used, piece);
      bytes.remove_prefix(used);
      if (!got) {
        responses.push_back(archive::respond(got.error()));
        return responses;
      }
      if (*got == 0 && used == 0) break;
      if (sink && !sink->append(std::span(piece).first(*got))) break;
      if (!sink) request.body.append(reinterpret_cast<const char*>(piece.data()), *got);
      if (request.body.size() > application.bodyLimit(request)) return responses;
    }
    if (sink) {
      responses.push_back(sink->finish(reader.bodyDone()));
    } else if (reader.bodyDone()) {
      responses.push_back(*application.answer(request, false));
    }
    if (!responses.empty() && responses.back().stream) {
      std::string text;
      const auto write = [&](std::string_view piece) {
        text += piece;
        return Status();
      };
      if (responses.back().stream(write)) responses.back().text = std::move(text);
    }
    if (!reader.bodyDone()) return responses;
  }
  return responses;
}

}  // namespace vintage::tests::service
