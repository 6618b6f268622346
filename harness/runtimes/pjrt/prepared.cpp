#include "harness/runtimes/pjrt/prepared.h"

#include <algorithm>
#include <cstring>

#include "golden/base/failures.h"

namespace vintage::harness {
using namespace golden;

NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(OutputPieces, shape, starts)
// Without what payloads hold.
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(PreparedProgram, form, note, devices, shardy, outputs)

namespace {

using nlohmann::json;

// Takes payloads in their order; throws nlohmann's exceptions.
Result<Preparation> readPreparation(Frame& frame) {
  Preparation preparation;
  size_t next = 0;
  const auto payload = [&]() -> Result<std::vector<std::byte>> {
    if (next == frame.payloads.size()) return badInput("a payload is missing");
    return std::move(frame.payloads[next++]);
  };
  for (const json& one : frame.header.at("programs")) {
    PreparedProgram& program = preparation.emplace_back(one.get<PreparedProgram>());
    ASSIGN_OR_RETURN(program.module, payload());
    for (const json& device : one.at("arguments")) {
      std::vector<Tensor>& values = program.arguments.emplace_back();
      for (const json& value : device) {
        ASSIGN_OR_RETURN(const auto bytes, payload());
        ASSIGN_OR_RETURN(values.emplace_back(), arrayOfJson(value, bytes));
      }
    }
    if (program.devices == 0 || program.arguments.size() != program.devices)
      return badInput("arguments are not given for each device");
  }
  return preparation;
}

}  // namespace

void encode(const Preparation& preparation, FrameWriter& to) {
  std::vector<std::span<const std::byte>> payloads;
  json programs = json::array();
  for (const PreparedProgram& program : preparation) {
    payloads.push_back(program.module);
    json& arguments = programs.emplace_back(program)["arguments"] = json::array();
    for (const std::vector<Tensor>& values : program.arguments) {
      json& described = arguments.emplace_back(json::array());
      for (const Tensor& value : values) {
        described.push_back(arrayJson(value));
        payloads.push_back(value.bytes());
      }
    }
  }
  to.add({{"type", "prepared"}, {"programs", std::move(programs)}}, payloads);
}

Result<PreparationAnswer> answerFromFrame(Frame frame) {
  if (messageType(frame) == "reply") return replyFromFrame(std::move(frame));
  if (messageType(frame) != "prepared") return badInput("it is neither prepared nor refused");
  try {
    return readPreparation(frame);
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
