// Shared by all functions of the table, and the objects that a client holds by handles.
//
// A function is written as a method, `Status answer(Object&, Arguments&)`, or without an object if
// its arguments have none. entry<answer> is the C function: it accepts argument structures that are
// shorter or longer than those known here, rejects a call without its object, and turns errors and
// exceptions of libraries into a PJRT_Error.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <exception>
#include <functional>
#include <iterator>
#include <memory>
#include <new>
#include <string>
#include <type_traits>
#include <utility>

#include "golden/base/failures.h"
#include "harness/runtimes/pjrt/c_api_plugin_arguments.h"

namespace vintage::harness {

// The handle by which a client refers to an object; the object's class names its kind as `Handle`.
template <typename Object>
typename Object::Handle* handleOf(Object* object) {
  return reinterpret_cast<typename Object::Handle*>(object);
}
template <typename Object>
Object* objectOf(typename Object::Handle* handle) {
  return reinterpret_cast<Object*>(handle);
}

// PJRT_Error.
struct RaisedError {
  using Handle = PluginError;
  int code = 0;  // absl::StatusCode
  std::string message;
};

// The client owns it and destroys it. Null if memory is short.
PluginError* raise(const Error& error);

// PJRT_Event: all work is done before a client gets one, so that all events are the same.
struct SettledEvent {
  using Handle = PluginEvent;
};

PluginEvent* settledEvent();

// Size and extension, with which each structure begins; the object comes next.
inline constexpr size_t kArgumentsHeader = sizeof(size_t) + sizeof(void*);

template <typename Function>
PluginError* guarded(Function function) noexcept {
  try {
    if (Status status = function(); !status) return raise(status.error());
    return nullptr;
  } catch (const std::bad_alloc&) {
    return raise({Error::Kind::kResource, "this machine has no memory left for it"});
  } catch (const std::exception& exception) {
    return raise({Error::Kind::kIo, fmt::format("a library threw: {}", exception.what())});
  }
}

// The least number of bytes that a caller provides. Old clients announce less than they have
// (0.4.30 omits the last field of PJRT_Plugin_Attributes_Args), so the announced size only counts
// for fields added after the API version that the plugin declares.
template <typename Arguments>
constexpr size_t leastBytes() {
  if constexpr (std::is_same_v<Arguments, ClientCreate>) return offsetof(Arguments, tryGet);
  if constexpr (std::is_same_v<Arguments, ClientCreateViewOfDeviceBuffer>)
    return offsetof(Arguments, memory);
  if constexpr (std::is_same_v<Arguments, ExecutableDeserializeAndLoad>)
    return offsetof(Arguments, options);
  if constexpr (std::is_same_v<Arguments, ExecutableGetCompiledMemoryStats>)
    return offsetof(Arguments, hostCode);
  return Arguments::bytes();
}

// A copy of the caller's arguments, as far as both sides know the structure.
template <typename Arguments>
Result<Arguments> takeArguments(const void* given) {
  static_assert(std::is_trivially_copyable_v<Arguments> && std::is_standard_layout_v<Arguments>);
  if (!given) return usageError("a function of the plugin was called without its arguments");
  size_t size = 0;
  std::memcpy(&size, given, sizeof(size));
  if (size < kArgumentsHeader)
    return usageError(
        "the arguments of a function say that they have {} bytes; their header has {}", size,
        kArgumentsHeader);
  Arguments arguments;
  const size_t shared = std::clamp(size, leastBytes<Arguments>(), Arguments::bytes());
  std::memcpy(static_cast<void*>(&arguments), given, shared);
  return arguments;
}

template <typename Arguments>
void giveArguments(const Arguments& arguments, void* given) {
  const size_t shared =
      std::clamp(arguments.structSize, leastBytes<Arguments>(), Arguments::bytes());
  std::memcpy(given, &arguments, shared);
}

template <typename>
struct MethodParts;
template <typename ObjectType, typename ArgumentsType>
struct MethodParts<Status (*)(ObjectType&, ArgumentsType&)> {
  using Object = ObjectType;
  using Arguments = ArgumentsType;
};
template <typename ArgumentsType>
struct MethodParts<Status (*)(ArgumentsType&)> {
  using Object = void;
  using Arguments = ArgumentsType;
};

template <auto kMethod>
PluginError* entry(void* given) noexcept {
  using Parts = MethodParts<decltype(kMethod)>;
  return guarded([&]() -> Status {
    ASSIGN_OR_RETURN(auto arguments, takeArguments<typename Parts::Arguments>(given));
    if constexpr (std::is_void_v<typename Parts::Object>) {
      RETURN_IF_ERROR(kMethod(arguments));
    } else {
      void* object = nullptr;
      std::memcpy(&object, reinterpret_cast<const std::byte*>(&arguments) + kArgumentsHeader,
                  sizeof(object));
      if (!object) return usageError("a function of the plugin was called without its object");
      RETURN_IF_ERROR(kMethod(*static_cast<typename Parts::Object*>(object), arguments));
    }
    giveArguments(arguments, given);
    return {};
  });
}

// Sets the entry of a function in the table, or in an extension's.
template <auto kMethod, typename Table>
void answer(Table& table) {
  table.functions[static_cast<size_t>(MethodParts<decltype(kMethod)>::Arguments::kSlot)] =
      reinterpret_cast<AnyFunction>(&entry<kMethod>);
}

// For functions that return one value or a list of an object: `kTold`, a member or member function
// of the object, provides it. A member function without a result is simply called.
template <typename Arguments, auto kTold, typename Object>
Status tellOf(Object& object, Arguments& arguments) {
  if constexpr (requires { arguments.value; }) {
    arguments.value = std::invoke(kTold, object);
  } else if constexpr (requires { arguments.items; }) {
    decltype(auto) told = std::invoke(kTold, object);
    arguments.items = std::data(told);
    arguments.count = std::size(told);
  } else if constexpr (std::is_void_v<decltype(std::invoke(kTold, object))>) {
    std::invoke(kTold, object);
  } else {
    return std::invoke(kTold, object);
  }
  return {};
}
template <typename Told>
struct ToldParts : ToldParts<decltype(&Told::operator())> {};
template <typename MemberType, typename ObjectType>
struct ToldParts<MemberType ObjectType::*> {
  using Object = ObjectType;
};
template <typename Function, typename ResultType, typename ObjectType>
struct ToldParts<ResultType (Function::*)(ObjectType&) const> {
  using Object = ObjectType;
};

template <typename Arguments, auto kTold, typename Table>
void tell(Table& table) {
  using Object = typename ToldParts<std::remove_const_t<decltype(kTold)>>::Object;
  answer<&tellOf<Arguments, kTold, Object>>(table);
}
template <typename Arguments, typename Object>
Status destroyOf(Object& object, Arguments&) {
  delete &object;
  return {};
}
// Gives a text to a client; the client calls a function to destroy it.
template <typename Arguments>
void giveText(std::string text, Arguments& arguments) {
  using Holder = std::remove_pointer_t<decltype(arguments.holder)>;
  auto kept = std::make_unique<std::string>(std::move(text));
  arguments.serialized = kept->data();
  arguments.serializedSize = kept->size();
  arguments.destroy = [](Holder* holder) { delete reinterpret_cast<std::string*>(holder); };
  arguments.holder = reinterpret_cast<Holder*>(kept.release());
}

// The table of functions that GetPjrtApi returns. Made once; lives as long as the library.
const Api& apiTable();

}  // namespace vintage::harness
