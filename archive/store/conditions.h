// The WHERE of a query that is put together from a filter, with what is bound to
// it, in order. Lists are bound as one JSON array each, so that few texts exist
// and stay prepared.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "archive/store/database.h"
#include "archive/store/room.h"

namespace vintage::archive::store {

class Conditions {
 public:
  using Bindings = std::vector<std::function<void(Query&)>>;

  // A column whose value has to be in a bound list.
  static constexpr std::string_view kInList = "IN (SELECT value FROM json_each(?))";

  void where(std::string_view condition) {
    text_ += text_.empty() ? " WHERE " : " AND ";
    text_ += condition;
  }
  void bindList(std::vector<std::string> values) {
    bind([values = std::move(values)](Query& query) { query.bindList(values); });
  }
  void bind(std::function<void(Query&)> binding) { bindings_.push_back(std::move(binding)); }

  // " WHERE a AND b"; empty without conditions.
  const std::string& text() const { return text_; }
  // In the order of the question marks, if what is bound was bound in it.
  const Bindings& bindings() const { return bindings_; }

 private:
  std::string text_;
  Bindings bindings_;
};

}  // namespace vintage::archive::store
