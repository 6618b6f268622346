// GET of one content, continued with a range after each interruption and
// checked against its id.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "archive/transfer/http_client.h"
#include "archive/transfer/place.h"

namespace vintage::archive {

// The part of a large content that has arrived, kept so that a later run can
// continue where this one was interrupted. Only a help: what is wrong with it
// shows when the whole is hashed, and every failure to write it is harmless.
class PartialFile {
 public:
  // Null where `folder` is empty or cannot be used, or another process is at
  // the same content.
  static std::unique_ptr<PartialFile> open(const std::string& folder, const ContentId& id);
  // Whether one was left behind.
  static bool exists(const std::string& folder, const ContentId& id);
  ~PartialFile();
  PartialFile(const PartialFile&) = delete;
  PartialFile& operator=(const PartialFile&) = delete;

  // What is there, at most `limit` bytes of it.
  Bytes read(uint64_t limit) const;
  void append(std::span<const std::byte> bytes);
  void clear();
  void remove();

 private:
  PartialFile(int descriptor, std::string path);

  int descriptor_;
  std::string path_;
};

// From this size on what has arrived is kept in a PartialFile.
inline constexpr int64_t kLargeContent = 1 << 20;

class ContentDownload final : public HttpExchange {
 public:
  struct Target {
    std::string url;
    std::vector<std::string> headers;
    WantedContent content;
    std::string partialFolder;
  };
  // `lost`: the server does not have it, or what it has is damaged.
  ContentDownload(Target target, Place::ContentVisitor take, Place::LostVisitor lost);

  std::string what() const override;
  Result<HttpRequest> request() override;
  Status receive(HttpResponse& response, std::span<const std::byte> piece) override;
  Result<Next> finish(HttpResponse& response) override;
  bool progressed() override;
  bool isTransient(const HttpResponse& response) override;

 private:
  Status beginBody(const HttpResponse& response);
  void startOver();
  Result<Next> giveUp(const Error& error);

  Target target_;
  Place::ContentVisitor take_;
  Place::LostVisitor lost_;
  Bytes bytes_;
  std::unique_ptr<PartialFile> partial_;
  bool bodyBegan_ = false;
  size_t atLastQuestion_ = 0;
  int wrongHashes_ = 0;
};

}  // namespace vintage::archive
