// One connection's bytes to the service without a socket: parsed, routed and
// answered in process. For the random tests and the fuzzer.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "archive/service/application.h"
#include "archive/service/http_messages.h"

namespace vintage::tests::service {

// The line of a request's head that says what its body is; a request without a token needs it.
inline std::string typeLine(const std::string& method, const std::string& path) {
  archive::Request request;
  request.method = method;
  if (const auto target = archive::parseTarget(path)) archive::findRoute(request, target->segments);
  if (request.route == nullptr || request.route->body == archive::BodyForm::kNone) return "";
  return "Content-Type: " + std::string(archive::mediaType(request.route->body)) + "\r\n";
}

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
    std::unique_ptr<archive::UploadChunk> chunk;
    std::optional<archive::Problem> refused;
    if (request.route->body == archive::BodyForm::kStream) {
      auto opened = request.route->open({application, request});
      if (!opened) {
        responses.push_back(archive::respond(opened.error()));
        return responses;
      }
      chunk = std::move(*opened);
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
      if (chunk) {
        if (const auto taken = chunk->append(std::span(piece).first(*got)); !taken) {
          refused = taken.error();
          break;
        }
      }
      if (!chunk) request.body.append(reinterpret_cast<const char*>(piece.data()), *got);
      if (request.body.size() > application.bodyLimit(request)) return responses;
    }
    if (refused) {
      responses.push_back(archive::respond(*refused));
    } else if (chunk && reader.bodyDone()) {
      responses.push_back(archive::finishChunk({application, request}, *chunk));
    } else if (chunk) {
      return responses;  // Cut short: nobody reads an answer.
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
