// How two artifacts, or two outcomes of one artifact, differ.
#pragma once

namespace vintage::golden::base {}
namespace vintage::golden::tensor {}
namespace vintage::golden::compare {}
namespace vintage::archive::store {}
namespace vintage::harness::builds {}
namespace vintage::harness::importer {}
namespace vintage::harness::model {}
namespace vintage::reports {}

namespace vintage::harness::difference {
using namespace golden::base;
using namespace golden::tensor;
using namespace golden::compare;
using namespace archive::store;
using namespace harness::builds;
using namespace harness::importer;
using namespace harness::model;
using namespace reports;
}  // namespace vintage::harness::difference
