// The framed stream in which contents and records travel together, both ways:
// `application/vnd.vintage.frames`, described in docs/service.md. A frame is
// one line of JSON; the line of a `content` is followed by its bytes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include <nlohmann/json.hpp>

#include "archive/store/record_json.h"
#include "golden/base/result.h"

namespace vintage::archive {

inline constexpr const char* kFramesMediaType = "application/vnd.vintage.frames";
inline constexpr size_t kLongestFrameLine = size_t{1} << 20;

// Appends frames to `out` and counts them for the end.
class FrameStreamWriter {
 public:
  explicit FrameStreamWriter(std::string& out) : out_(out) {}

  void content(const ContentId& id, std::span<const std::byte> bytes);
  // Only the line; the caller sends the bytes behind it.
  void contentLine(const ContentId& id, uint64_t bytes);
  void artifact(const ArtifactRecord& record) { addRecord("artifact", recordJson(record)); }
  void build(const BuildRecord& build) { addRecord("build", recordJson(build)); }
  void run(const RunWithLimitations& run) { addRecord("run", recordJson(run)); }
  void outcome(const OutcomeRecord& outcome) { addRecord("outcome", recordJson(outcome)); }
  // `error` as in docs/service.md: {"kind", "message", "next"}.
  void error(const ContentId& id, const nlohmann::json& error);
  void end();

 private:
  void addRecord(std::string_view type, nlohmann::json record);
  void line(const nlohmann::json& header);

  std::string& out_;
  uint64_t counts_[5] = {};  // In the order of kCounted in frame_stream.cpp.
};

// Called by a reader, in order.
class FrameVisitor {
 public:
  virtual ~FrameVisitor() = default;
  // A line, with its number from 0. `type` is one of those in docs/service.md,
  // but not "end". A content's `id` is spelled like one and its `bytes` is not
  // negative. An Error ends the reading.
  virtual Status frame(uint64_t number, std::string_view type, const nlohmann::json& header) = 0;
  // The bytes of the content that was met last, in one or more pieces; `last`
  // with the last of them, also where it is empty.
  virtual Status bytes(std::span<const std::byte> piece, bool last) = 0;
};

// Takes the stream in pieces as they arrive. Memory stays within one line.
class FrameStreamReader {
 public:
  explicit FrameStreamReader(FrameVisitor& visitor) : visitor_(visitor) {}

  // kBadInput names the frame and what is wrong; errors of the visitor pass
  // through. After an error nothing more may be fed.
  Status feed(std::span<const std::byte> piece);
  Status feed(std::string_view piece) {
    return feed(std::as_bytes(std::span(piece.data(), piece.size())));
  }
  // Whether the stream was whole: kBadInput where it ended early, or where
  // `end` counted other numbers of frames.
  Status finish() const;
  bool ended() const { return ended_; }

 private:
  Status line(std::string_view text);
  Status end(const nlohmann::json& header);

  FrameVisitor& visitor_;
  std::string partial_;     // A line that is not complete yet.
  uint64_t remaining_ = 0;  // Bytes of the present content.
  bool inContent_ = false;
  bool ended_ = false;
  uint64_t number_ = 0;
  uint64_t counts_[5] = {};  // In the order of kCounted in frame_stream.cpp.
};

}  // namespace vintage::archive
