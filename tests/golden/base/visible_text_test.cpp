// A name or a message of somebody else could clear the screen, write over a verdict, or show
// another order of characters than it has.
#include <random>

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "golden/base/utf8.h"
#include "golden/base/visible_text.h"
#include "tests/harness/command/hidden_text.h"

namespace vintage::tests {
namespace {

using command::hiddenIn;

TEST(VisibleText, ControlsStandThereAsTheyAreWritten) {
  EXPECT_EQ(visible("\x1b[2Jcleared\r\b\x07"), R"(\u001b[2Jcleared\u000d\u0008\u0007)");
  EXPECT_EQ(visible("\xc2\x9b"
                    "31m\x7f"),
            R"(\u009b31m\u007f)");
  EXPECT_EQ(visible("evil\xe2\x80\xae"
                    "txt.exe"),
            R"(evil\u202etxt.exe)");
  EXPECT_EQ(visible("\xf3\xa0\x81\x81"), R"(\udb40\udc41)");
  EXPECT_EQ(visible("\x9b\xff\xc3"), R"(\x9b\xff\xc3)");
}

TEST(VisibleText, OtherTextStaysAsItIs) {
  for (const char* text : {"", "a line\n\tand another\n", "gr\xc3\xbc\xc3\x9f \xf0\x9f\x98\x80",
                           "\xf0\x9f\x91\xa9\xe2\x80\x8d\xf0\x9f\x94\xac", "\\u001b \\x9b"})
    EXPECT_EQ(visible(text), text);
}

// For any bytes, nothing is hidden, the result is UTF-8, and making it visible again changes
// nothing.
TEST(VisibleText, HoldsForRandomBytes) {
  std::mt19937 random(7);
  const std::string pieces[] = {"\xc2", "\x9b",     "\xe2\x80", "\xae", "\xef\xbb\xbf",
                                "a",    "\xf3\xa0", "\x81",     "\x1b", "\n"};
  for (int round = 0; round < 20'000; ++round) {
    std::string text;
    for (unsigned length = random() % 12; length > 0; --length)
      text += random() % 2 ? std::string(1, static_cast<char>(random())) : pieces[random() % 10];
    const std::string shown = visible(text);
    EXPECT_EQ(hiddenIn(shown), "");
    EXPECT_TRUE(isUtf8(shown));
    EXPECT_EQ(visible(shown), shown);
  }
}

TEST(VisibleText, JsonStaysTheSameJson) {
  for (uint32_t point = 1; point < 0x10ffff; point += point < 0x3000 ? 1 : 97) {
    if (point >= 0xd800 && point < 0xe000) continue;
    std::string literal = fmt::format("\"\\u{:04x}\"", point);
    if (point >= 0x10000)
      literal =
          fmt::format("\"\\u{:04x}\\u{:04x}\"", 0xd7c0 + (point >> 10), 0xdc00 + (point & 0x3ff));
    const nlohmann::json value = nlohmann::json::parse(literal);
    EXPECT_EQ(nlohmann::json::parse(visible(value.dump())), value) << point;
  }
}

}  // namespace
}  // namespace vintage::tests
