// A place that content is taken from to heal an archive with.
#pragma once

#include <memory>

#include "archive/integrity/content_donor.h"
#include "archive/transfer/place.h"
#include "archive/transfer/room.h"

namespace vintage::archive::transfer {

class PlaceDonor final : public ContentDonor {
 public:
  explicit PlaceDonor(std::unique_ptr<Place> place) : place_(std::move(place)) {}

  const std::string& name() const override { return place_->name(); }
  Status read(std::span<const ContentId> wanted, const Take& take, const Lost& lost) override {
    // Their sizes are left open: what the damaged archive says of them may be wrong.
    std::vector<WantedContent> contents;
    for (const ContentId& id : wanted) contents.push_back({id});
    return place_->readContents(contents, take, lost);
  }

 private:
  std::unique_ptr<Place> place_;
};

}  // namespace vintage::archive::transfer
