// A search over positions whose order is only partly known.
#pragma once

#include <cstddef>
#include <vector>

#include "harness/bisect/search.h"

namespace vintage::harness {

// The positions in an order that a search can use: where the order is unknown, positions that pass
// come first, and positions that fail last.
class Renumbering {
 public:
  Renumbering(const SearchProblem& original, const std::vector<Round>& asked);

  // From the numbers of this order to the original ones.
  void restore(std::vector<size_t>& positions) const;
  void restore(SearchConclusion& found) const;

  SearchProblem problem;
  std::vector<Round> history;

 private:
  std::vector<size_t> old_, new_;  // By new and by old position.
};

}  // namespace vintage::harness
