// The two messages of every artifact, from their fields into the bytes of a frame.
#include <algorithm>

#include <fmt/format.h>

#include "golden/base/memory_pages.h"
#include "harness/consumers/message.h"

namespace vintage::harness::consumers {
namespace {

// A header as it grows: an object whose fields come in the order of their names.
class HeaderText {
 public:
  void text(std::string_view field, std::string_view value) {
    begin(field);
    put(value);
  }
  void texts(std::string_view field, const std::vector<std::string>& values) {
    begin(field);
    list(values, [&](const std::string& value) { put(value); });
  }
  void number(std::string_view field, uint64_t value) {
    begin(field);
    text_ += fmt::format_int(value).str();
  }
  // Measured, so finite.
  void seconds(std::string_view field, double value) {
    begin(field);
    fmt::format_to(std::back_inserter(text_), "{}", value);
  }
  void tensors(std::string_view field, const std::vector<Tensor>& tensors) {
    begin(field);
    list(tensors, [&](const Tensor& tensor) {
      text_ += "{\"dtype\":";
      put(stablehloName(tensor.type()));
      text_ += ",\"shape\":";
      list(tensor.shape(), [&](int64_t size) { text_ += fmt::format_int(size).str(); });
      text_ += '}';
    });
  }
  void lengths(std::string_view field, const std::vector<size_t>& lengths) {
    begin(field);
    list(lengths, [&](size_t length) { text_ += fmt::format_int(length).str(); });
  }
  std::string_view finish() { return text_ += '}'; }

 private:
  void begin(std::string_view field) {
    text_ += text_.empty() ? "{\"" : ",\"";
    text_ += field;
    text_ += "\":";
  }
  template <typename Values, typename Write>
  void list(const Values& values, const Write& write) {
    text_ += '[';
    bool isFirst = true;
    for (const auto& value : values) {
      if (!isFirst) text_ += ',';
      isFirst = false;
      write(value);
    }
    text_ += ']';
  }
  // Nearly all are plain; the library writes the others.
  void put(std::string_view value) {
    const bool plain = std::ranges::all_of(value, [](char character) {
      return character >= 0x20 && character < 0x7f && character != '"' && character != '\\';
    });
    if (!plain) {
      text_ += nlohmann::json(value).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
      return;
    }
    text_ += '"';
    text_ += value;
    text_ += '"';
  }

  std::string text_;
};

void appendLengths(const std::vector<Tensor>& tensors, std::vector<size_t>& lengths) {
  for (const Tensor& tensor : tensors) lengths.push_back(tensor.bytes().size());
}

std::vector<std::byte> begun(HeaderText& header, const std::vector<size_t>& lengths) {
  uint64_t bytes = 0;
  for (const size_t length : lengths) bytes += length;
  return beginFrame(header.finish(), bytes);
}

void append(const std::vector<Tensor>& tensors, std::vector<std::byte>& frame) {
  for (const Tensor& tensor : tensors)
    frame.insert(frame.end(), tensor.bytes().begin(), tensor.bytes().end());
}

}  // namespace

std::vector<std::byte> encode(ExecuteRequest request) {
  std::vector<size_t> lengths{request.artifact.size()};
  appendLengths(request.inputs, lengths);
  HeaderText header;
  header.text("format", formatName(request.format));
  header.number("id", request.id);
  header.tensors("inputs", request.inputs);
  header.text("mode", request.mode);
  header.text("name", request.name);
  header.lengths("payloads", lengths);
  header.text("platform", request.platform);
  header.texts("platforms", request.platforms);
  header.text("type", "execute");
  std::vector<std::byte> frame = begun(header, lengths);
  if (request.artifact.size() > kHeldWhole)
    moveOut(request.artifact, frame);
  else
    frame.insert(frame.end(), request.artifact.begin(), request.artifact.end());
  append(request.inputs, frame);
  return frame;
}

std::vector<std::byte> encode(const ExecuteReply& reply) {
  std::vector<size_t> lengths;
  appendLengths(reply.outputs, lengths);
  HeaderText header;
  header.seconds("compile_seconds", reply.compileSeconds);
  header.text("detail", reply.detail);
  header.number("id", reply.id);
  header.seconds("load_seconds", reply.loadSeconds);
  header.text("outcome", outcomeOf(reply));
  header.tensors("outputs", reply.outputs);
  header.lengths("payloads", lengths);
  header.seconds("run_seconds", reply.runSeconds);
  header.text("stage", stageName(reply.stage));
  header.text("type", "reply");
  std::vector<std::byte> frame = begun(header, lengths);
  append(reply.outputs, frame);
  return frame;
}

}  // namespace vintage::harness::consumers
