#include "harness/runtimes/pjrt/prepared.h"

#include <algorithm>
#include <cstring>

#include <fmt/format.h>

#include "golden/base/failures.h"

namespace vintage::harness {
using namespace golden;

namespace {

using nlohmann::json;

// Takes payloads in their order; throws nlohmann's exceptions.
class PreparationReader {
 public:
  explicit PreparationReader(Frame& frame) : frame_(frame) {}

  Result<Preparation> read() {
    Preparation preparation;
    for (const json& one : frame_.header.at("programs")) {
      PreparedProgram program;
      ASSIGN_OR_RETURN(auto module, payload());
      program.module = std::move(module);
      one.at("form").get_to(program.form);
      one.at("note").get_to(program.note);
      one.at("devices").get_to(program.devices);
      one.at("shardy").get_to(program.shardy);
      for (const json& device : one.at("arguments")) {
        std::vector<Tensor>& values = program.arguments.emplace_back();
        for (const json& value : device) {
          ASSIGN_OR_RETURN(auto bytes, payload());
          ASSIGN_OR_RETURN(auto tensor, arrayOfJson(value, bytes));
          values.push_back(std::move(tensor));
        }
      }
      if (program.devices == 0 || program.arguments.size() != program.devices)
        return badInput("arguments are not given for each device");
      for (const json& output : one.at("outputs"))
        program.outputs.push_back(
            {output.at("shape").get<Shape>(), output.at("starts").get<std::vector<Shape>>()});
      preparation.programs.push_back(std::move(program));
    }
    return preparation;
  }

 private:
  Result<std::vector<std::byte>> payload() {
    if (next_ == frame_.payloads.size()) return badInput("a payload is missing");
    return std::move(frame_.payloads[next_++]);
  }

  Frame& frame_;
  size_t next_ = 0;
};

}  // namespace

void encode(const Preparation& preparation, FrameWriter& to) {
  std::vector<std::span<const std::byte>> payloads;
  json programs = json::array();
  for (const PreparedProgram& program : preparation.programs) {
    payloads.push_back(program.module);
    json arguments = json::array(), outputs = json::array();
    for (const std::vector<Tensor>& values : program.arguments) {
      json& described = arguments.emplace_back(json::array());
      for (const Tensor& value : values) {
        described.push_back(arrayJson(value));
        payloads.push_back(value.bytes());
      }
    }
    for (const OutputPieces& output : program.outputs)
      outputs.push_back({{"shape", output.shape}, {"starts", output.starts}});
    programs.push_back({{"form", program.form},
                        {"note", program.note},
                        {"devices", program.devices},
                        {"shardy", program.shardy},
                        {"arguments", std::move(arguments)},
                        {"outputs", std::move(outputs)}});
  }
  to.add({{"type", "prepared"}, {"programs", std::move(programs)}}, payloads);
}

Result<PreparationAnswer> answerFromFrame(Frame frame) {
  if (messageType(frame) == "reply") {
    ASSIGN_OR_RETURN(auto reply, replyFromFrame(std::move(frame)));
    return reply;
  }
  if (messageType(frame) != "prepared") return badInput("it is neither prepared nor refused");
  try {
    ASSIGN_OR_RETURN(auto preparation, PreparationReader(frame).read());
    return preparation;
  } catch (const json::exception& exception) {
    return badInput("it is not understood: {}", exception.what());
  }
}

Result<Tensor> joinOutput(const OutputPieces& output, const std::vector<const Tensor*>& pieces) {
  ASSIGN_OR_RETURN(auto whole, Tensor::make(pieces.front()->type(), output.shape));
  const size_t rank = output.shape.size();
  const size_t width = byteWidth(whole.type());
  std::vector<std::pair<Shape, size_t>> written;  // Where a piece starts, and whose it is.
  for (size_t device = 0; device < pieces.size(); ++device) {
    const Tensor& piece = *pieces[device];
    const Shape& start = output.starts.at(device);
    bool fits = piece.shape().size() == rank && start.size() == rank;
    for (size_t d = 0; fits && d < rank; ++d)
      fits = start[d] >= 0 && start[d] + piece.shape()[d] <= output.shape[d];
    if (!fits)
      return badInput("device {} gives {}, which is no piece of {}", device, describe(piece),
                      describe(whole));
    const auto same = std::ranges::find(written, start, &std::pair<Shape, size_t>::first);
    if (same != written.end()) {
      if (!piece.identical(*pieces[same->second]))
        return badInput("devices {} and {} give {} and {} with different values for the same piece",
                        same->second, device, describe(*pieces[same->second]), describe(piece));
      continue;
    }
    written.emplace_back(start, device);
    // Rows of the last dimension are contiguous in both.
    const int64_t row = rank == 0 ? 1 : piece.shape().back();
    if (piece.size() == 0) continue;
    Shape at(rank);
    for (int64_t done = 0; done < piece.size(); done += row) {
      int64_t target = 0;
      for (size_t d = 0; d < rank; ++d) target = target * output.shape[d] + start[d] + at[d];
      std::memcpy(whole.mutableBytes().data() + static_cast<size_t>(target) * width,
                  piece.bytes().data() + static_cast<size_t>(done) * width,
                  static_cast<size_t>(row) * width);
      for (size_t d = rank > 0 ? rank - 1 : 0; d-- > 0;) {
        if (++at[d] < piece.shape()[d]) break;
        at[d] = 0;
      }
    }
  }
  return whole;
}

}  // namespace vintage::harness
