#include "archive/store/frame_stream.h"

#include <algorithm>
#include <iterator>

#include <fmt/format.h>

#include "archive/store/record_json.h"
#include "golden/base/content_hash.h"
#include "golden/base/failures.h"

namespace vintage::archive {
namespace {

using nlohmann::json;

struct Counted {
  std::string_view type;
  const char* total;  // Its field in the end frame.
};
constexpr Counted kCounted[] = {{"content", "contents"},
                                {"artifact", "artifacts"},
                                {"build", "builds"},
                                {"run", "runs"},
                                {"outcome", "outcomes"}};

tl::unexpected<Error> bad(uint64_t number, const std::string& what) {
  return badInput("frame {}: {}", number, what);
}

}  // namespace

void FrameStreamWriter::line(const json& header) {
  out_ += jsonText(header);
  out_ += '\n';
}

void FrameStreamWriter::contentLine(const ContentId& id, uint64_t bytes) {
  ++counts_[0];
  // By hand: it is most of a stream's lines, and an id needs no escaping.
  out_ += fmt::format("{{\"type\":\"content\",\"id\":\"{}\",\"bytes\":{}}}\n", id, bytes);
}

void FrameStreamWriter::content(const ContentId& id, std::span<const std::byte> bytes) {
  contentLine(id, bytes.size());
  out_.append(reinterpret_cast<const char*>(bytes.data()), bytes.size());
}

void FrameStreamWriter::addRecord(std::string_view type, json record) {
  ++counts_[std::ranges::find(kCounted, type, &Counted::type) - kCounted];
  line({{"type", type}, {"record", std::move(record)}});
}

void FrameStreamWriter::error(const ContentId& id, const json& error) {
  line({{"type", "error"}, {"id", id}, {"error", error}});
}

void FrameStreamWriter::end() {
  json totals = json::object({{"type", "end"}});
  for (size_t index = 0; index < std::size(kCounted); ++index)
    totals[kCounted[index].total] = counts_[index];
  line(totals);
}

Status FrameStreamReader::feed(std::span<const std::byte> piece) {
  while (!piece.empty()) {
    if (ended_) return bad(number_, "there are bytes behind the end frame");
    if (inContent_) {
      const size_t take = static_cast<size_t>(std::min<uint64_t>(remaining_, piece.size()));
      remaining_ -= take;
      inContent_ = remaining_ > 0;
      RETURN_IF_ERROR(visitor_.bytes(piece.first(take), !inContent_));
      piece = piece.subspan(take);
      continue;
    }
    const std::string_view text(reinterpret_cast<const char*>(piece.data()), piece.size());
    const size_t feedAt = text.find('\n');
    const size_t take = feedAt == std::string_view::npos ? text.size() : feedAt;
    if (partial_.size() + take > kLongestFrameLine)
      return bad(number_, fmt::format("its line is longer than {} bytes", kLongestFrameLine));
    partial_.append(text.substr(0, take));
    if (feedAt == std::string_view::npos) return {};
    RETURN_IF_ERROR(line(partial_));
    partial_.clear();
    piece = piece.subspan(take + 1);
  }
  return {};
}

Status FrameStreamReader::line(std::string_view text) {
  const auto read = parseOutsideJson(text);
  if (!read || !read->is_object())
    return bad(number_, fmt::format("its line is not a JSON object{}; a line of JSON ended by a "
                                    "line feed is expected, and after a content exactly as many "
                                    "bytes as it says",
                                    read ? "" : ": " + read.error().message));
  const json& header = *read;
  const auto field = header.find("type");
  if (field == header.end() || !field->is_string()) return bad(number_, "it has no 'type'");
  const std::string& type = field->get_ref<const std::string&>();
  if (type == "end") return end(header);
  const auto counted = std::ranges::find(kCounted, std::string_view(type), &Counted::type);
  if (counted == std::end(kCounted) && type != "error")
    return bad(number_, fmt::format("its type is '{}'; there are: content, artifact, build, run, "
                                    "outcome, error, end",
                                    type.substr(0, 40)));
  if (counted != std::end(kCounted)) ++counts_[counted - std::begin(kCounted)];
  if (type == "content") {
    const auto id = header.find("id");
    const auto bytes = header.find("bytes");
    if (id == header.end() || !id->is_string() || !isContentHash(id->get_ref<const std::string&>()))
      return bad(number_, "its 'id' is not 64 lower-case hexadecimal digits");
    if (bytes == header.end() || !bytes->is_number_unsigned())
      return bad(number_, "its 'bytes' is not a whole number");
    remaining_ = bytes->get<uint64_t>();
    inContent_ = remaining_ > 0;
  } else if (counted != std::end(kCounted)) {
    const auto record = header.find("record");
    if (record == header.end() || !record->is_object())
      return bad(number_, fmt::format("it is of type '{}' and has no object 'record'", type));
  }
  RETURN_IF_ERROR(visitor_.frame(number_++, type, header));
  if (type == "content" && !inContent_) return visitor_.bytes({}, true);
  return {};
}

Status FrameStreamReader::end(const json& header) {
  for (size_t index = 0; index < std::size(kCounted); ++index) {
    const auto total = header.find(kCounted[index].total);
    const bool right = total == header.end() ? counts_[index] == 0
                                             : total->is_number_unsigned() &&
                                                   total->get<uint64_t>() == counts_[index];
    if (!right)
      return bad(number_, fmt::format("the end frame states {} {}, but {} came",
                                      total == header.end() ? "no" : jsonExcerpt(*total),
                                      kCounted[index].total, counts_[index]));
  }
  ended_ = true;
  return {};
}

Status FrameStreamReader::finish() const {
  if (ended_) return {};
  if (inContent_)
    return bad(number_,
               fmt::format("the stream ends where {} bytes of a content are missing", remaining_));
  return bad(number_, "the stream has no end frame: it was cut off");
}

}  // namespace vintage::archive
