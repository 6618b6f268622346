#include "harness/engine/kernels/kernel_orders.h"

#include <algorithm>
#include <cmath>

#include "golden/base/failures.h"
#include "golden/tensor/print.h"
#include "golden/tensor/visit.h"

namespace vintage::harness {
using namespace golden;

namespace {

template <typename T>
bool isClose(T a, T b) {
  const double loss = std::sqrt(static_cast<double>(std::numeric_limits<T>::epsilon()));
  const auto x = static_cast<double>(a), y = static_cast<double>(b);
  return x == y || (std::isnan(x) && std::isnan(y)) ||
         std::abs(x - y) <= loss * std::max({1.0, std::abs(x), std::abs(y)});
}

// The first element that is another; sums of floats in another order round differently.
std::optional<int64_t> firstDifference(const Tensor& a, const Tensor& b, bool addsFloats) {
  if (a.identical(b)) return std::nullopt;
  const size_t width = byteWidth(a.type());
  for (int64_t i = 0; i < a.size(); ++i) {
    const size_t at = static_cast<size_t>(i) * width;
    if (std::ranges::equal(a.bytes().subspan(at, width), b.bytes().subspan(at, width))) continue;
    const bool isRounding =
        addsFloats && isFloat(a.type()) && visitElementType(a.type(), [&]<typename T>() {
          if constexpr (kIsFloatStorage<T>)
            return isClose(a.values<T>()[static_cast<size_t>(i)],
                           b.values<T>()[static_cast<size_t>(i)]);
          return false;
        });
    if (!isRounding) return i;
  }
  return std::nullopt;
}

std::string changeIn(int order, WatchedElement watched, const RunInOrder& run) {
  // It ran before, in this order.
  if (!run(order, &watched) || watched.change.empty()) return "";
  return ", which " + watched.change + " wrote last";
}

}  // namespace

void WatchedElement::watch(KernelRun& run, std::function<std::span<const std::byte>()> bytes,
                           std::function<std::string()> program) {
  run.watch = [this, bytes = std::move(bytes),
               program = std::move(program)](const KernelRegion::Step& step) {
    const auto now = bytes();
    if (now.empty() || std::ranges::equal(now, last)) return;
    last.assign(now.begin(), now.end());
    change = fmt::format("{} at {}", program(),
                         step.location.empty() ? "an unknown place" : step.location);
  };
}

Result<std::vector<Tensor>> runInOrders(const OrderCheck& check, const RunInOrder& run) {
  ASSIGN_OR_RETURN(auto first, run(0, nullptr));
  for (int order = 1; order < check.orders; ++order) {
    ASSIGN_OR_RETURN(const auto again, run(order, nullptr));
    for (size_t i = 0; i < first.size(); ++i) {
      const auto element = firstDifference(first[i], again[i], check.addsFloats);
      if (!element) continue;
      const WatchedElement watched{.result = i, .element = *element};
      return badInput("result {} depends on {}: element {} is {}{}, or {}{}", i, check.what,
                      formatIndex(first[i].shape(), *element), formatElement(first[i], *element),
                      check.namesPlaces ? changeIn(0, watched, run) : "",
                      formatElement(again[i], *element),
                      check.namesPlaces ? changeIn(order, watched, run) : "");
    }
  }
  return first;
}

}  // namespace vintage::harness
