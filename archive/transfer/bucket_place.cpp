#include "archive/transfer/bucket_client.h"

namespace vintage::archive {

Result<std::unique_ptr<Place>> openBucketPlace(const std::string& location, PlaceUse use,
                                               const PlaceOptions& options) {
  ASSIGN_OR_RETURN(auto address, BucketAddress::find(location));
  return openObjectPlace(std::make_unique<BucketClient>(std::move(address), options), use);
}

}  // namespace vintage::archive
