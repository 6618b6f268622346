// Archives in an OCI registry: what is pushed comes back, what a registry does wrong is named, and
// what it did is not lost.
#include <gmock/gmock.h>

#include "archive/transfer/mirror.h"
#include "archive/transfer/registry_objects.h"
#include "archive/transfer/scrub.h"
#include "tests/archive/integrity/fresh_key.h"
#include "tests/archive/transfer/archives.h"
#include "tests/archive/transfer/quick_http.h"
#include "tests/archive/transfer/scripted_registry.h"
#include "tests/harness/command/run_vintage.h"

namespace vintage::tests {
using namespace archive;

namespace {

using nlohmann::json;
using testing::AllOf;
using testing::Contains;
using testing::HasSubstr;
using namespace tests::transfer;
using Reply = std::optional<ScriptedReply>;

class Registry : public ::testing::Test {
 protected:
  void SetUp() override {
    // No login of the person who runs the tests.
    ::setenv("DOCKER_CONFIG", path("docker").c_str(), 1);
    std::filesystem::create_directory(path("docker"));
    static_cast<HttpOptions&>(options_) = quickOptions();
    options_.multipartBytes = 50'000;  // Packs of 100,000 bytes, and objects that have their own.
    options_.partialFolder = path("parts");
  }
  void TearDown() override { ::unsetenv("DOCKER_CONFIG"); }

  std::string path(const std::string& name) const { return sandbox_.path(name); }
  Result<MirrorSummary> copy(const std::string& from, const std::string& to,
                             const MirrorOptions& options = {}) const {
    ASSIGN_OR_RETURN(const auto source, openPlace(from, PlaceUse::kRead, options_));
    ASSIGN_OR_RETURN(const auto destination, openPlace(to, PlaceUse::kWrite, options_));
    return mirror(*source, destination.get(), options);
  }
  std::string refusalOf(const std::string& from, const std::string& to) const {
    const auto copied = copy(from, to);
    return copied ? "nothing was refused" : copied.error().message;
  }
  ScrubSummary scrubbed(const std::string& place, Place* source, bool repair) const {
    const auto opened = must(openPlace(place, PlaceUse::kWrite, options_));
    ScrubOptions options;
    options.source = source;
    options.repair = repair;
    return must(scrub(*opened, options, [](const FsckFinding&) {}));
  }

  const command::Sandbox sandbox_;
  PlaceOptions options_;
};

TEST_F(Registry, PushedAndPulledIsTheSame) {
  ScriptedRegistry registry;
  fillArchive(path("A"), 1, 150);
  const MirrorSummary sent = must(copy(path("A"), registry.place()));
  EXPECT_EQ(sent.artifacts.sent, 150u);
  EXPECT_GT(registry.count("PATCH upload"), 0);  // The contents of 2.5 MB.
  const json manifest = registry.manifest();
  EXPECT_EQ(manifest["artifactType"], kArchiveType);
  EXPECT_GT(manifest["layers"].size(), 5u);
  // A second push finds everything, and leaves the tag alone.
  registry.forgetCounts();
  const MirrorSummary again = must(copy(path("A"), registry.place()));
  EXPECT_EQ(again.artifacts.sent + again.contents.sent + again.outcomes.sent + again.runs.sent, 0u);
  EXPECT_EQ(registry.count("PUT manifest") + registry.count("POST upload"), 0);

  must(copy(registry.place(), path("B")));
  expectSameArchives(path("A"), path("B"));
  EXPECT_TRUE(scrubbed(registry.place(), nullptr, false).whole());

  // To another tag all packs are found, and only the manifest goes.
  registry.forgetCounts();
  must(copy(path("A"), registry.place("other")));
  EXPECT_EQ(registry.count("POST upload"), 0);
  EXPECT_EQ(registry.manifests["other"], registry.manifests["latest"]);

  // A later push adds packs, and sends none again.
  fillArchive(path("A"), 2, 20);
  const size_t before = registry.blobs.size();
  must(copy(path("A"), registry.place()));
  EXPECT_GT(registry.blobs.size(), before);
  for (const auto& layer : manifest["layers"])
    if (layer["mediaType"] == kPackType)
      EXPECT_THAT(registry.manifest()["layers"], Contains(layer));
  must(copy(registry.place(), path("B")));
  expectSameArchives(path("A"), path("B"));
  // From registry to registry, and a part.
  MirrorOptions part;
  part.filter.dtypes = {"bf16"};
  must(copy(registry.place(), registry.place("part"), part));
  EXPECT_LT(registry.manifest("part")["layers"].size(), registry.manifest()["layers"].size());
}

TEST_F(Registry, AnInterruptedCopyGoesOn) {
  int left = 12;
  bool isCut = true;
  ScriptedRegistry registry([&](ScriptedRegistry& self, const std::string& operation,
                                const ScriptedRequest& request) -> Reply {
    if (!isCut) return std::nullopt;
    // Each second upload is cut off after it was kept, and later everything is.
    if (operation == "PUT upload" && --left % 2 == 0) {
      static_cast<void>(self.answer(operation, request));
      return ScriptedReply{.hangUp = true};
    }
    if (operation == "PATCH upload" && self.count(operation) % 3 == 0)
      return ScriptedReply{.hangUp = true};
    if (operation == "GET blob" && self.count(operation) % 2 == 0) {
      ScriptedReply reply = self.answer(operation, request);
      reply.cutAfter = static_cast<long>(reply.body.size() / 2);
      return reply;
    }
    return left < 0 ? Reply({.hangUp = true}) : std::nullopt;
  });
  fillArchive(path("A"), 3, 120);
  ASSERT_FALSE(copy(path("A"), registry.place()).has_value());
  EXPECT_FALSE(registry.manifests.contains("latest"));
  const size_t kept = registry.blobs.size();
  EXPECT_GT(kept, 2u);
  const int before = registry.count("POST upload");
  left = 1'000'000;
  must(copy(path("A"), registry.place()));
  // The packs that were there were not sent again.
  EXPECT_EQ(registry.count("POST upload") - before, static_cast<int>(registry.blobs.size() - kept));
  must(copy(registry.place(), path("B")));
  expectSameArchives(path("A"), path("B"));
  isCut = false;
  EXPECT_TRUE(scrubbed(registry.place(), nullptr, false).whole());
}

TEST_F(Registry, ATokenIsAskedForAndAskedForAgain) {
  ScriptedRegistry registry(
      [](ScriptedRegistry& self, const std::string& operation, const ScriptedRequest&) -> Reply {
        // It expires now and then.
        if (operation == "HEAD blob" && self.count(operation) % 2 == 0) self.token += "x";
        return std::nullopt;
      });
  registry.token = "first";
  registry.user = "dXNlcjpzZWNyZXQ=";  // user:secret
  fillArchive(path("A"), 4, 30);
  EXPECT_THAT(refusalOf(path("A"), registry.place()),
              AllOf(HasSubstr("401"), HasSubstr("--token-file")));
  options_.token = "user:wrong";
  EXPECT_THAT(refusalOf(path("A"), registry.place()), HasSubstr("does not take these credentials"));
  options_.token = "user:secret";
  must(copy(path("A"), registry.place()));
  EXPECT_GT(registry.token.size(), 6u);
  const auto requests = registry.requests();
  EXPECT_THAT(requests,
              Contains(testing::Field(
                  &ScriptedRequest::target,
                  "/token?service=scripted&scope=repository%3Ateam%2Farchive%3Apull%2Cpush")));
  // From docker's configuration.
  options_.token.clear();
  sandbox_.write("docker/config.json",
                 json({{"auths", {{registry.host(), {{"auth", registry.user}}}}}}).dump());
  must(copy(registry.place(), path("B")));
  expectSameArchives(path("A"), path("B"));
  sandbox_.write(
      "docker/config.json",
      json({{"auths", {{registry.host(), json::object()}}}, {"credsStore", "pass"}}).dump());
  EXPECT_THAT(refusalOf(registry.place(), path("C")), HasSubstr("docker-credential-pass"));
}

TEST_F(Registry, BasicAuthenticationAndDenial) {
  bool isDenied = false;
  ScriptedRegistry registry([&](ScriptedRegistry&, const std::string& operation,
                                const ScriptedRequest& request) -> Reply {
    if (request.header("authorization") != "Basic dXNlcjpzZWNyZXQ=")
      return ScriptedReply{401, {"WWW-Authenticate: Basic realm=\"Registry\""}, ""};
    if (operation == "POST upload" && isDenied) return ScriptedRegistry::error(403, "DENIED");
    return std::nullopt;
  });
  fillArchive(path("A"), 5, 5);
  EXPECT_THAT(refusalOf(path("A"), registry.place()), HasSubstr("docker login"));
  options_.token = "user:secret";
  must(copy(path("A"), registry.place()));
  isDenied = true;
  EXPECT_THAT(refusalOf(path("A"), registry.place("more/../x")), HasSubstr("oci://HOST"));
  fillArchive(path("A"), 6, 5);
  EXPECT_THAT(refusalOf(path("A"), registry.place()), HasSubstr("DENIED: as scripted"));
}

TEST_F(Registry, ForeignAndDamagedTagsAreRefused) {
  std::string digest;
  ScriptedRegistry registry([&](ScriptedRegistry& self, const std::string& operation,
                                const ScriptedRequest& request) -> Reply {
    if (digest.empty() || operation != "GET manifest") return std::nullopt;
    ScriptedReply reply = self.answer(operation, request);
    reply.headers = {"Docker-Content-Digest: " + digest};
    return reply;
  });
  fillArchive(path("A"), 7, 10);
  EXPECT_THAT(refusalOf(registry.place("none"), path("B")),
              AllOf(HasSubstr("no tag 'none' of team/archive"), HasSubstr("vintage push")));
  registry.manifests["image"] =
      R"({"mediaType":"application/vnd.docker.distribution.manifest.v2+json","layers":[]})";
  for (const auto& [from, to] : {std::pair(registry.place("image"), path("B")),
                                 std::pair(path("A"), registry.place("image"))})
    EXPECT_THAT(refusalOf(from, to),
                AllOf(HasSubstr("holds 'application/vnd.docker"), HasSubstr("name another tag")));
  must(copy(path("A"), registry.place()));
  const std::string good = registry.manifests["latest"];
  digest = "sha256:" + std::string(64, '0');
  EXPECT_THAT(refusalOf(registry.place(), path("B")),
              HasSubstr("the manifest should be sha256:00"));
  digest.clear();
  json other = json::parse(good);
  other["layers"][1]["mediaType"] = "application/vnd.vintage.pack.v2";
  registry.manifests["newer"] = other.dump();
  EXPECT_THAT(refusalOf(registry.place("newer"), path("B")), HasSubstr("or a newer one"));
  other = json::parse(good);
  other["layers"].erase(1);
  registry.manifests["less"] = other.dump();
  EXPECT_THAT(refusalOf(registry.place("less"), path("B")),
              HasSubstr("its pack is no layer of the manifest"));
  // Tables that name what cannot be there.
  const std::string pack = json::parse(good)["layers"][1]["digest"].get<std::string>().substr(7);
  const auto size = json::parse(good)["layers"][1]["size"].get<uint64_t>();
  for (const std::string& table :
       {fmt::format("0 5 blobs/x\n"), fmt::format("pack {} {}\n0 {} x\n", pack, size, size + 1),
        fmt::format("pack {} {}\n{} 1 x\n", pack, size, size), fmt::format("pack {} 1\n", pack),
        fmt::format("pack {} {}\n18446744073709551615 2 x\n", pack, size), std::string("pack x"),
        std::string("pack x 1\n"), fmt::format("pack {} {}\n-1 2 x\n", pack, size)}) {
    other = json::parse(good);
    registry.blobs[ScriptedRegistry::digestOf(table)] = table;
    other["layers"][0]["digest"] = ScriptedRegistry::digestOf(table);
    other["layers"][0]["size"] = table.size();
    registry.manifests["table"] = other.dump();
    EXPECT_THAT(refusalOf(registry.place("table"), path("B")), HasSubstr(": line ")) << table;
  }
  registry.manifests["huge"] = std::string(kLargestManifest + 1, ' ');
  EXPECT_THAT(refusalOf(registry.place("huge"), path("B")), HasSubstr("none has more than"));
  EXPECT_FALSE(std::filesystem::exists(path("B")));
}

TEST_F(Registry, DamagedAndShortLayersAreNamedAndHealed) {
  ScriptedRegistry registry;
  fillArchive(path("A"), 8, 60);
  must(copy(path("A"), registry.place()));
  const auto source = must(openPlace(path("A"), PlaceUse::kRead, options_));
  for (int round = 0; round < 2; ++round) {
    int damaged = 0;
    const json manifest = registry.manifest();
    for (const auto& layer : manifest["layers"]) {
      if (layer["mediaType"] != kPackType) continue;
      std::string& bytes = registry.blobs[layer["digest"].get<std::string>()];
      if (++damaged % 2 == 0)
        bytes.resize(bytes.size() / 2);
      else
        bytes[bytes.size() / 2 + static_cast<size_t>(round)] ^= 1;
    }
    EXPECT_FALSE(scrubbed(registry.place(), nullptr, false).whole());
    // A pull names what it could not read, and brings the rest.
    const auto pulled = copy(registry.place(), path(fmt::format("part{}", round)));
    if (pulled) EXPECT_FALSE(pulled->lost.empty());
    const ScrubSummary healed = scrubbed(registry.place(), source.get(), true);
    EXPECT_GT(healed.healed, 0);
    EXPECT_TRUE(healed.whole());
    EXPECT_TRUE(scrubbed(registry.place(), nullptr, false).whole());
  }
  must(copy(registry.place(), path("B")));
  expectSameArchives(path("A"), path("B"));
}

// The second writer moved the tag, and what the first had put since was gone.
TEST_F(Registry, TwoWritersLoseNothing) {
  ScriptedRegistry registry;
  fillArchive(path("A"), 9, 40);
  fillArchive(path("B"), 10, 40);
  const auto first = must(openPlace(registry.place(), PlaceUse::kWrite, options_));
  const auto from = must(openPlace(path("A"), PlaceUse::kRead, options_));
  must(copy(path("B"), registry.place()));
  must(mirror(*from, first.get(), {}));
  must(copy(registry.place(), path("both")));
  EXPECT_EQ(must(must(Archive::open(path("both"), Archive::Mode::kReadOnly)).list({})).size(), 80u);

  // Between the look and the write.
  fillArchive(path("A"), 11, 5);
  const std::string theirs = registry.manifests["latest"];
  bool isFirst = true;
  ScriptedRegistry racing([&](ScriptedRegistry& self, const std::string& operation,
                              const ScriptedRequest& request) -> Reply {
    if (operation != "PUT manifest" || !std::exchange(isFirst, false)) return std::nullopt;
    ScriptedReply reply = self.answer(operation, request);
    self.manifests["latest"] = theirs;
    return reply;
  });
  racing.blobs = registry.blobs;
  must(copy(path("A"), racing.place()));
  must(copy(racing.place(), path("raced")));
  EXPECT_EQ(must(must(Archive::open(path("raced"), Archive::Mode::kReadOnly)).list({})).size(),
            85u);
}

TEST_F(Registry, BlobsMayLieElsewhereAndRangesBeIgnored) {
  ScriptedRegistry* storage = nullptr;
  ScriptedRegistry elsewhere(
      [](ScriptedRegistry& self, const std::string&, const ScriptedRequest& request) -> Reply {
        EXPECT_EQ(request.header("authorization"), "");  // The token stays with the registry.
        const std::string digest = request.target.substr(request.target.rfind('/') + 1);
        return ScriptedReply{200, {}, self.blobs.at(digest)};
      });
  storage = &elsewhere;
  ScriptedRegistry registry([&](ScriptedRegistry&, const std::string& operation,
                                const ScriptedRequest& request) -> Reply {
    if (operation != "GET blob") return std::nullopt;
    return ScriptedReply{
        307,
        {fmt::format("Location: http://localhost:{}{}",
                     storage->host().substr(storage->host().find(':') + 1), request.target)}};
  });
  registry.token = "secret";
  fillArchive(path("A"), 12, 40);
  must(copy(path("A"), registry.place()));
  elsewhere.blobs = registry.blobs;
  must(copy(registry.place(), path("B")));
  expectSameArchives(path("A"), path("B"));
}

// A signature refers to the archive, in a registry that lists referrers and in those that do not.
// One that answered 405 instead of 404 ended every pull and the second push.
TEST_F(Registry, SignedListsAreReferrers) {
  fillArchive(path("A"), 13, 20);
  const FreshKey key;
  sandbox_.write("key.pem", key.privatePem);
  sandbox_.write("public.pem", key.publicPem);
  const auto run = [&](std::vector<std::string> call) {
    if (call[0] != "sign") call.insert(call.end(), {"--pins", ""});
    return sandbox_.run(call);
  };
  const auto sign = [&](const char* day) {
    const command::Finished signing =
        run({"sign", "--archive", path("A"), "--key", path("key.pem"), "--today", day});
    ASSERT_EQ(signing.status, 0) << signing.err;
  };
  sign("2026-11-20");
  for (const int refusal : {0, 404, 405}) {
    const bool listsReferrers = refusal == 0;
    ScriptedRegistry registry;
    registry.listsReferrers = listsReferrers;
    registry.refusesReferrersWith = refusal;
    const auto isReferredTo = [&] {
      const std::string archive = ScriptedRegistry::digestOf(registry.manifests["latest"]);
      const json lists = registry.manifest("latest.lists");
      EXPECT_EQ(lists["artifactType"], kListsType);
      EXPECT_EQ(lists["subject"]["digest"], archive);
      const std::string fallback = "sha256-" + archive.substr(7);
      EXPECT_EQ(registry.manifests.contains(fallback), !listsReferrers);
      if (!listsReferrers) {
        EXPECT_EQ(registry.manifest(fallback)["manifests"].size(), 1u);
        EXPECT_EQ(registry.manifest(fallback)["manifests"][0]["artifactType"], kListsType);
      }
    };
    command::Finished pushed = run({"push", path("A"), registry.place()});
    ASSERT_EQ(pushed.status, 0) << pushed.err;
    isReferredTo();
    const std::string before = registry.manifests["latest"];
    const std::vector<std::string> pull{"pull", registry.place(), path("B"), "--public-key",
                                        path("public.pem")};
    command::Finished pulled = run(pull);
    EXPECT_EQ(pulled.status, 0) << pulled.err;
    // Of a later archive too, once it was signed.
    fillArchive(path("A"), listsReferrers ? 14 : 15, 5);
    sign(listsReferrers ? "2026-11-21" : "2026-11-22");
    pushed = run({"push", path("A"), registry.place()});
    ASSERT_EQ(pushed.status, 0) << pushed.err;
    EXPECT_NE(registry.manifests["latest"], before);
    isReferredTo();
    pulled = run(pull);
    EXPECT_EQ(pulled.status, 0) << pulled.err;
    const command::Finished checked = sandbox_.run(
        {"fsck", "--archive", path("B"), "--public-key", path("public.pem"), "--pins", ""});
    EXPECT_EQ(checked.status, 0) << checked.out << checked.err;
    // A signature that somebody takes away is missed.
    std::erase_if(registry.manifests,
                  [](const auto& one) { return one.second.find(kListsType) != std::string::npos; });
    pulled = run(pull);
    EXPECT_EQ(pulled.status, 1);
    EXPECT_THAT(pulled.err, HasSubstr("it has no signed list"));
    std::filesystem::remove_all(path("B"));
  }
}

// Backups lie in packs too.
TEST_F(Registry, KeepsBackups) {
  ScriptedRegistry registry;
  fillArchive(path("A"), 16, 30);
  const auto run = [&](const std::vector<std::string>& call) {
    const command::Finished finished = sandbox_.run(call);
    EXPECT_EQ(finished.status, 0) << finished.out << finished.err;
  };
  run({"backup", registry.place("backup"), "--archive", path("A")});
  const size_t blobs = registry.blobs.size();
  run({"backup", registry.place("backup"), "--archive", path("A")});
  EXPECT_LE(registry.blobs.size(), blobs + 2);  // Another snapshot, and the table.
  run({"restore", registry.place("backup"), path("B")});
  expectSameArchives(path("A"), path("B"));
  EXPECT_THAT(refusalOf(registry.place("backup"), path("C")), HasSubstr("there is no archive"));
}

// All of an address and what is wrong with others.
TEST_F(Registry, AddressesAreChecked) {
  const RegistryAddress plain = must(RegistryAddress::find("oci://127.0.0.1:5000/a/b:t", options_));
  EXPECT_EQ(plain.base, "http://127.0.0.1:5000");
  EXPECT_EQ(plain.repository, "a/b");
  EXPECT_EQ(plain.tag, "t");
  EXPECT_EQ(must(RegistryAddress::find("oci://ghcr.io/a/b:T_1.x", options_)).base,
            "https://ghcr.io");
  EXPECT_EQ(must(RegistryAddress::find("oci+http://inside:5000/a:t", options_)).base,
            "http://inside:5000");
  for (const char* wrong :
       {"oci://", "oci://host", "oci://host/name", "oci://host:5000/name", "oci://host/Name:t",
        "oci:///name:t", "oci://host/a//b:t", "oci://host/a:", "oci://host/a:b/c",
        "oci://host/../a:t", "oci://host/a:-t", "oci://u:p@host/a:t"})
    EXPECT_EQ(refusal(RegistryAddress::find(wrong, options_)), Error::Kind::kUsage) << wrong;
}

}  // namespace
}  // namespace vintage::tests
