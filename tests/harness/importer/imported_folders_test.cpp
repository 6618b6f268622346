// The facts that an import records of each file: its day, type, targets and purpose.
#include <filesystem>
#include <fstream>

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include "golden/program/program.h"
#include "golden/tensor/npy.h"
#include "harness/importer/import.h"
#include "harness/importer/inspect.h"
#include "tests/archive/store/sample.h"
#include "tests/golden/exported/sample_exported.h"

namespace vintage::tests {
using namespace golden;
using namespace archive;
using namespace harness;

namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using testing::ElementsAre;
using testing::HasSubstr;

std::vector<std::byte> moduleFrom(const std::string& from, const std::string& to) {
  ProgramContext context;
  const auto program = context.parseText("func.func public @main(%a: " + from + ") -> " + to +
                                             " {\n  %0 = stablehlo.convert %a : (" + from +
                                             ") -> " + to + "\n  return %0 : " + to + "\n}",
                                         "<test>");
  EXPECT_TRUE(program) << program.error().message;
  return *program->writePortableArtifact({1, 9, 0});
}

// The folder of a SavedModel: the 512 bytes with which its tar file begins.
std::string savedModelTar() {
  std::string block = "a/saved_model.pb";
  block.resize(512, '\0');
  block.replace(257, 5, "ustar");
  return block;
}

// As jax2tf's tests kept it: in base64.
std::string savedModelText() {
  std::string block = savedModelTar();
  constexpr std::string_view kDigits =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  block += '\0';  // Three bytes are four digits.
  std::string text;
  for (size_t i = 0; i < block.size(); i += 3) {
    uint32_t bits = 0;
    for (size_t j = 0; j < 3; ++j) bits = bits << 8 | static_cast<unsigned char>(block[i + j]);
    for (int shift = 18; shift >= 0; shift -= 6) text += kDigits[bits >> shift & 63];
  }
  return text;
}

class ImportedFolders : public FolderTest {
 protected:
  template <typename Bytes>
  fs::path write(const fs::path& name, const Bytes& bytes) {
    const fs::path file = path(name);
    fs::create_directories(file.parent_path());
    std::ofstream(file, std::ios::binary)
        .write(reinterpret_cast<const char*>(bytes.data()),
               static_cast<std::streamsize>(bytes.size()));
    return file;
  }

  Result<ReadEntry> readFolder(const json& meta) {
    write("meta.json", meta.dump());
    const ImportEntry entry{.path = folder_, .isFolder = true};
    return std::move(readImportEntries(std::span(&entry, 1), {}).front());
  }

  static json metaOf(const std::string& kind) {
    return {{"name", "test"},
            {"kind", kind},
            {"platform", "cpu"},
            {"nr_devices", 1},
            {"first_commit_date", "2024-05-06"}};
  }
};

TEST_F(ImportedFolders, TheDayOfItsExportCountsNotThatOfItsCommit) {
  write("module.mlirbc", moduleFrom("tensor<2xf32>", "tensor<2xf32>"));
  json meta = metaOf("module");
  EXPECT_EQ(formatDate(readFolder(meta)->put.record.buildDate), "2024-05-06");
  meta["serialized_date"] = "2024-03-01";
  EXPECT_EQ(formatDate(readFolder(meta)->put.record.buildDate), "2024-03-01");
}

TEST_F(ImportedFolders, AProgramForSeveralDevicesIsSharded) {
  write("module.mlirbc", moduleFrom("tensor<2xf32>", "tensor<2xf32>"));
  json meta = metaOf("module");
  EXPECT_EQ(readFolder(meta)->put.record.variant, "static");
  meta["nr_devices"] = 8;
  const auto read = readFolder(meta);
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(read->put.record.deviceCount, 8);
  EXPECT_EQ(read->put.record.variant, "sharded");
}

TEST_F(ImportedFolders, AnArrayOfAnotherTypeThanIsSaidIsRefused) {
  write("module.mlirbc", moduleFrom("tensor<2xf32>", "tensor<2xf32>"));
  write("input_0.npy", writeNpy(Tensor(ElementType::kF64, {2})));
  write("expected_0.npy", writeNpy(Tensor(ElementType::kF32, {2})));
  json meta = metaOf("module");
  const json array = json::array({"float32", json::array({2})});
  meta["inputs"] = meta["outputs"] = json::array({array});
  EXPECT_FALSE(readFolder(meta));
  write("input_0.npy", writeNpy(Tensor(ElementType::kF32, {2})));
  EXPECT_TRUE(readFolder(meta));
}

// Such a file is text, and was read as StableHLO.
TEST_F(ImportedFolders, ASavedModelInBase64IsKeptWithItsTargets) {
  const std::string text = savedModelText();
  EXPECT_EQ(*recognizeFormat(std::as_bytes(std::span(text)), "model"),
            ArtifactRecord::Format::kSavedModel);
  write("module.mlirbc", text);
  json meta = metaOf("module");
  meta["custom_call_targets"] = json::array({"lapack_sgesdd"});
  const auto read = readFolder(meta);
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(read->put.record.format, ArtifactRecord::Format::kSavedModel);
  EXPECT_THAT(read->put.record.customCallTargets, ElementsAre("lapack_sgesdd"));
  EXPECT_EQ(read->put.record.primitive, "svd");
}

TEST_F(ImportedFolders, ASavedModelThatAProducerSavedIsKeptWithItsGolden) {
  write("saved_model.tar", savedModelTar());
  write("input_0.npy", writeNpy(Tensor(ElementType::kF32, {2})));
  write("expected_0.npy", writeNpy(Tensor(ElementType::kF64, {2})));
  json meta = metaOf("saved model");
  meta["producer"] = "tensorflow 2.21.0";
  meta["primitive"] = "tf.matmul";
  meta["variant"] = "poly";
  meta["inputs"] = json::array({json::array({"float32", json::array({2})})});
  meta["outputs"] = json::array({json::array({"float64", json::array({2})})});
  const auto read = readFolder(meta);
  ASSERT_TRUE(read) << read.error().message;
  const ArtifactRecord& record = read->put.record;
  EXPECT_EQ(record.format, ArtifactRecord::Format::kSavedModel);
  EXPECT_THAT(record.platforms, ElementsAre("cpu"));
  EXPECT_THAT(record.dtypes, ElementsAre("f32", "f64"));
  EXPECT_EQ(record.primitive, "tf.matmul");
  EXPECT_EQ(record.variant, "poly");
  EXPECT_EQ(record.producer, "tensorflow 2.21.0");
  ASSERT_TRUE(read->put.golden);
  EXPECT_EQ(read->put.golden->expected.size(), 1u);
}

TEST_F(ImportedFolders, AnotherFileInThePlaceOfASavedModelIsRefused) {
  write("saved_model.tar", moduleFrom("tensor<2xf32>", "tensor<2xf32>"));
  const auto read = readFolder(metaOf("saved model"));
  ASSERT_FALSE(read);
  EXPECT_THAT(read.error().message, HasSubstr("saved_model.tar: no tar file of a SavedModel"));
}

TEST_F(ImportedFolders, TheTypesOfResultsCountTooAndUnknownDimensionsArePolymorphic) {
  const auto converting = inspectArtifact(moduleFrom("tensor<2xf32>", "tensor<2xi8>"), "f", {});
  ASSERT_TRUE(converting) << converting.error().message;
  EXPECT_THAT(converting->record.dtypes, ElementsAre("f32", "i8"));
  EXPECT_EQ(converting->record.variant, "static");
  const auto unknown = inspectArtifact(moduleFrom("tensor<?xf32>", "tensor<?xf32>"), "f", {});
  EXPECT_EQ(unknown->record.variant, "poly");
}

TEST_F(ImportedFolders, ADecompositionComesBeforeTheSolvesThatItIsMadeOf) {
  const std::vector<std::string> targets{"blas_dtrsm_ffi", "lapack_dgetrf_ffi"};
  EXPECT_EQ(primitiveOfTargets(targets), "lu");
}

// A check that the exporter disabled decides whether a promise covers the artifact.
TEST_F(ImportedFolders, ACheckThatWasSwitchedOffIsSaid) {
  Exported exported = exportedOf(moduleFrom("tensor<2xf32>", "tensor<2xf32>"), "2");
  exported.disabledChecks = {{DisabledSafetyCheck::Kind::kCustomCall, "mine"}};
  const auto bytes = writeExported(exported);
  ASSERT_TRUE(bytes) << bytes.error().message;
  const auto inspected = inspectArtifact(*bytes, "f", {});
  ASSERT_TRUE(inspected) << inspected.error().message;
  EXPECT_EQ(inspected->details["disabled_checks"], json::array({"custom_call:mine"}));
}

TEST_F(ImportedFolders, LinksToFoldersAreNotFollowed) {
  write("one.mlirbc", moduleFrom("tensor<2xf32>", "tensor<2xf32>"));
  fs::create_directory_symlink(folder_, path("again"));
  const std::vector<std::string> paths{folder_};
  const auto found = findImportEntries(paths);
  ASSERT_TRUE(found) << found.error().message;
  EXPECT_EQ(found->size(), 1u);
}

// Behind a folder that was refused, each file got the facts of the next one.
TEST_F(ImportedFolders, EachFileGetsItsOwnFactsBesideOnesThatAreRefused) {
  std::vector<ImportEntry> entries;
  entries.push_back({write("a.mlirbc", moduleFrom("tensor<2xf32>", "tensor<2xf32>")), false});
  write("refused/meta.json", std::string("{}"));
  entries.push_back({path("refused"), true});
  entries.push_back({write("b.mlirbc", moduleFrom("tensor<2xi8>", "tensor<2xi8>")), false});
  entries.push_back({write("c.mlirbc", moduleFrom("tensor<2xf64>", "tensor<2xf64>")), false});
  ImportOptions options;
  options.buildDate = *parseDate("2026-01-02");
  const auto read = readImportEntries(entries, options);
  ASSERT_EQ(read.size(), 4u);
  EXPECT_FALSE(read[1]);
  EXPECT_THAT(read[0]->put.record.dtypes, ElementsAre("f32"));
  EXPECT_THAT(read[2]->put.record.dtypes, ElementsAre("i8"));
  EXPECT_THAT(read[3]->put.record.dtypes, ElementsAre("f64"));
}

TEST_F(ImportedFolders, WhatTheArchiveHoldsIsNotNew) {
  const fs::path file = write("a.mlirbc", moduleFrom("tensor<2xf32>", "tensor<2xf32>"));
  auto archive = Archive::open(path("archive"), Archive::Mode::kCreate);
  ASSERT_TRUE(archive) << archive.error().message;
  ImportOptions options;
  options.buildDate = *parseDate("2026-01-02");
  const std::vector<std::string> paths{file.string()};
  for (const bool isNew : {true, false}) {
    const auto report = importPaths(paths, options, *archive);
    ASSERT_TRUE(report) << report.error().message;
    ASSERT_EQ(report->taken.size(), 1u);
    EXPECT_EQ(report->taken[0].isNew, isNew);
  }
}

}  // namespace
}  // namespace vintage::tests
