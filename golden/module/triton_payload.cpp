#include "golden/module/triton_payload.h"

#include <cstring>

#include <zlib.h>

#include "golden/base/failures.h"
#include "golden/module/protobuf_reader.h"

namespace vintage::golden {

namespace {

constexpr std::string_view kWhat = "the call of a Triton kernel";
constexpr size_t kLargestCall = size_t{64} << 20;

Result<std::string> decompressed(std::string_view bytes) {
  z_stream stream{};
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
  stream.avail_in = static_cast<uInt>(std::min<size_t>(bytes.size(), UINT32_MAX));
  if (inflateInit(&stream) != Z_OK) return noResource("{}: zlib does not start", kWhat);
  std::string text;
  int state = Z_OK;
  while (state == Z_OK && text.size() <= kLargestCall) {
    char part[16384];
    stream.next_out = reinterpret_cast<Bytef*>(part);
    stream.avail_out = sizeof part;
    state = inflate(&stream, Z_NO_FLUSH);
    text.append(part, sizeof part - stream.avail_out);
  }
  inflateEnd(&stream);
  if (state == Z_STREAM_END) return text;
  if (state == Z_OK)
    return noResource("{} has more than {} bytes when it is decompressed", kWhat, kLargestCall);
  return badInput("{} is not what zlib compressed, or is cut off after {} bytes", kWhat,
                  text.size());
}

template <typename T>
Tensor number(T value, ElementType type) {
  Tensor tensor(type, {});
  std::memcpy(tensor.mutableBytes().data(), &value, sizeof value);
  return tensor;
}

template <typename T>
Result<T> fixed(std::string_view content) {
  if (content.size() != sizeof(T))
    return badInput("{}: a float of {} bytes", kWhat, content.size());
  T value{};
  std::memcpy(&value, content.data(), sizeof value);
  return value;
}

Result<TritonPayload::Parameter> parameterOf(std::string_view message) {
  ProtobufReader read(message, kWhat);
  if (read.done()) return badInput("{}: a parameter without a value", kWhat);
  RETURN_IF_ERROR(read.next());
  switch (read.number) {
    case 1: {
      TritonPayload::Array array;
      for (ProtobufReader field(read.content, kWhat); !field.done();) {
        RETURN_IF_ERROR(field.next());
        if (field.number == 1) array.isZeroed = field.value > 0;
      }
      return array;
    }
    case 2:
      return number(static_cast<uint8_t>(read.value != 0), ElementType::kI1);
    case 3:
    case 4:
      return number(static_cast<int32_t>(read.value), ElementType::kI32);
    case 5:
    case 6:
      return number(static_cast<int64_t>(read.value), ElementType::kI64);
    case 7: {
      ASSIGN_OR_RETURN(const float value, fixed<float>(read.content));
      return number(value, ElementType::kF32);
    }
    case 8: {
      ASSIGN_OR_RETURN(const double value, fixed<double>(read.content));
      return number(value, ElementType::kF64);
    }
    default:
      return unsupported("{}: a parameter of kind {} (a descriptor of a tensor is one)", kWhat,
                         read.number);
  }
}

Status readKernel(std::string_view message, TritonPayload& payload) {
  for (ProtobufReader read(message, kWhat); !read.done();) {
    RETURN_IF_ERROR(read.next());
    if (read.number == 1) payload.kernel = read.content;
    if (read.number == 4) payload.compiled = read.content;
    if (read.number == 5) payload.ttir = read.content;
    if (read.number == 6) payload.computeCapability = static_cast<int64_t>(read.value);
  }
  return {};
}

Status readCall(std::string_view message, TritonPayload& payload) {
  for (ProtobufReader read(message, kWhat); !read.done();) {
    RETURN_IF_ERROR(read.next());
    if (read.number == 1) RETURN_IF_ERROR(readKernel(read.content, payload));
    if (read.number >= 2 && read.number <= 4)
      payload.grid[read.number - 2] = static_cast<int64_t>(static_cast<uint32_t>(read.value));
    if (read.number == 5) {
      ASSIGN_OR_RETURN(auto parameter, parameterOf(read.content));
      payload.parameters.push_back(std::move(parameter));
    }
  }
  return {};
}

Status readTuned(std::string_view message, TritonPayload& payload) {
  payload.configurations = 0;
  for (ProtobufReader read(message, kWhat); !read.done();) {
    RETURN_IF_ERROR(read.next());
    if (read.number != 2 || payload.configurations++ > 0) continue;
    for (ProtobufReader one(read.content, kWhat); !one.done();) {
      RETURN_IF_ERROR(one.next());
      if (one.number == 1) RETURN_IF_ERROR(readCall(one.content, payload));
    }
  }
  return {};
}

}  // namespace

Result<TritonPayload> tritonPayload(std::string_view opaque) {
  ASSIGN_OR_RETURN(const std::string message, decompressed(opaque));
  TritonPayload payload;
  for (ProtobufReader read(message, kWhat); !read.done();) {
    RETURN_IF_ERROR(read.next());
    if (read.number == 1) RETURN_IF_ERROR(readCall(read.content, payload));
    if (read.number == 2) RETURN_IF_ERROR(readTuned(read.content, payload));
  }
  if (payload.kernel.empty()) return badInput("{} names no kernel", kWhat);
  return payload;
}

}  // namespace vintage::golden
