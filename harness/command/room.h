// The command line: one file a verb. The only room that knows all others.
#pragma once

namespace vintage::golden::base {}
namespace vintage::golden::program {}
namespace vintage::golden::exported {}
namespace vintage::primitives::catalogue {}
namespace vintage::primitives::limitations {}
namespace vintage::archive::store {}
namespace vintage::archive::integrity {}
namespace vintage::archive::retention {}
namespace vintage::archive::transfer {}
namespace vintage::archive::service {}
namespace vintage::harness::runtime {}
namespace vintage::harness::consumers {}
namespace vintage::harness::consumers::embedded {}
namespace vintage::harness::consumers::jax {}
namespace vintage::harness::builds {}
namespace vintage::harness::verdict {}
namespace vintage::harness::importer {}
namespace vintage::harness::replay {}
namespace vintage::harness::window {}
namespace vintage::harness::gate {}
namespace vintage::harness::bisect {}
namespace vintage::harness::nightly {}
namespace vintage::harness::explain {}
namespace vintage::harness::tables {}
namespace vintage::harness::conform {}
namespace vintage::reports {}

namespace vintage::harness::command {
using namespace golden::base;
using namespace golden::program;
using namespace golden::exported;
using namespace primitives::catalogue;
using namespace primitives::limitations;
using namespace archive::store;
using namespace archive::integrity;
using namespace archive::retention;
using namespace archive::transfer;
using namespace archive::service;
using namespace harness::runtime;
using namespace harness::consumers;
using namespace harness::consumers::embedded;
using namespace harness::consumers::jax;
using namespace harness::builds;
using namespace harness::verdict;
using namespace harness::importer;
using namespace harness::replay;
using namespace harness::window;
using namespace harness::gate;
using namespace harness::bisect;
using namespace harness::nightly;
using namespace harness::explain;
using namespace harness::tables;
using namespace harness::conform;
using namespace reports;
}  // namespace vintage::harness::command
