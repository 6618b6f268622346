#include "archive/transfer/bucket_xml.h"

#include <algorithm>
#include <charconv>
#include <utility>

#include <fmt/format.h>

#include "golden/base/failures.h"

namespace vintage::archive {
namespace {

constexpr int kDeepest = 32;
constexpr std::string_view kSpaces = " \t\r\n";

using Entity = std::pair<std::string_view, char>;
constexpr Entity kEntities[] = {
    {"amp", '&'}, {"lt", '<'}, {"gt", '>'}, {"quot", '"'}, {"apos", '\''}};

// None for a number that is no character.
std::optional<std::string> characterOf(std::string_view digits) {
  const bool hex = digits.starts_with('x');
  if (hex) digits.remove_prefix(1);
  uint32_t code = 0;
  const auto [stop, problem] =
      std::from_chars(digits.data(), digits.data() + digits.size(), code, hex ? 16 : 10);
  if (problem != std::errc() || stop != digits.data() + digits.size() || code == 0 ||
      code > 0x10ffff || (code >= 0xd800 && code < 0xe000))
    return std::nullopt;
  if (code < 0x80) return std::string(1, static_cast<char>(code));
  const auto tail = [&](int shift) { return static_cast<char>(0x80 | ((code >> shift) & 0x3f)); };
  if (code < 0x800) return {{static_cast<char>(0xc0 | (code >> 6)), tail(0)}};
  if (code < 0x10000) return {{static_cast<char>(0xe0 | (code >> 12)), tail(6), tail(0)}};
  return {{static_cast<char>(0xf0 | (code >> 18)), tail(12), tail(6), tail(0)}};
}

class XmlReader {
 public:
  explicit XmlReader(std::string_view document) : document_(document), rest_(document) {}

  Result<XmlElement> read() {
    RETURN_IF_ERROR(skipOutside());
    ASSIGN_OR_RETURN(auto root, element(0));
    RETURN_IF_ERROR(skipOutside());
    if (!rest_.empty()) return broken("something stands behind its end");
    return root;
  }

 private:
  tl::unexpected<Error> broken(std::string_view what) const {
    return badInput("the answer is no whole XML document: at character {} of {} {}",
                    document_.size() - rest_.size(), document_.size(), what);
  }

  bool take(std::string_view text) {
    if (!rest_.starts_with(text)) return false;
    rest_.remove_prefix(text.size());
    return true;
  }

  // Up to `end`, which is taken too.
  Result<std::string_view> until(std::string_view end) {
    const size_t at = rest_.find(end);
    if (at == std::string_view::npos) return broken(fmt::format("no '{}' follows", end));
    const std::string_view inside = rest_.substr(0, at);
    rest_.remove_prefix(at + end.size());
    return inside;
  }

  void skipSpaces() {
    rest_.remove_prefix(std::min(rest_.find_first_not_of(kSpaces), rest_.size()));
  }

  // The declaration, comments and spaces.
  Status skipOutside() {
    while (true) {
      skipSpaces();
      if (take("<?")) {
        RETURN_IF_ERROR(until("?>"));
      } else if (take("<!--")) {
        RETURN_IF_ERROR(until("-->"));
      } else {
        return {};
      }
    }
  }

  Result<std::string> name() {
    const size_t end = std::min(rest_.find_first_of(" \t\r\n/>=<&\"'"), rest_.size());
    if (end == 0) return broken("a name is expected");
    std::string name(rest_.substr(0, end));
    rest_.remove_prefix(end);
    return name;
  }

  // True where the element ends with its beginning: <Key/>.
  Result<bool> attributes() {
    while (true) {
      skipSpaces();
      if (take("/>")) return true;
      if (take(">")) return false;
      RETURN_IF_ERROR(name());
      skipSpaces();
      if (!take("=")) return broken("'=' is expected");
      skipSpaces();
      const std::string_view quote = rest_.substr(0, 1);
      if (quote != "\"" && quote != "'") return broken("a quoted value is expected");
      rest_.remove_prefix(1);
      RETURN_IF_ERROR(until(quote));
    }
  }

  Result<std::string> entity() {
    ASSIGN_OR_RETURN(const auto inside, until(";"));
    if (inside.starts_with('#')) {
      if (auto character = characterOf(inside.substr(1))) return *character;
    } else if (const auto known = std::ranges::find(kEntities, inside, &Entity::first);
               known != std::end(kEntities)) {
      return std::string(1, known->second);
    }
    return broken("an unknown entity was named");
  }

  Result<XmlElement> element(int depth) {
    if (depth > kDeepest) return broken("elements are nested too deep");
    if (!take("<")) return broken("an element is expected");
    XmlElement element;
    ASSIGN_OR_RETURN(element.name, name());
    ASSIGN_OR_RETURN(const bool isEmpty, attributes());
    while (!isEmpty) {
      const size_t plain = std::min(rest_.find_first_of("<&"), rest_.size());
      element.text += rest_.substr(0, plain);
      rest_.remove_prefix(plain);
      if (rest_.empty()) return broken(fmt::format("it ends inside of <{}>", element.name));
      if (take("&")) {
        ASSIGN_OR_RETURN(const auto character, entity());
        element.text += character;
      } else if (take("<![CDATA[")) {
        ASSIGN_OR_RETURN(const auto inside, until("]]>"));
        element.text += inside;
      } else if (take("<!--")) {
        RETURN_IF_ERROR(until("-->"));
      } else if (take("</")) {
        ASSIGN_OR_RETURN(const auto ended, name());
        skipSpaces();
        if (ended != element.name || !take(">"))
          return broken(fmt::format("<{}> does not end", element.name));
        break;
      } else {
        ASSIGN_OR_RETURN(element.children.emplace_back(), this->element(depth + 1));
      }
    }
    return element;
  }

  const std::string_view document_;
  std::string_view rest_;
};

}  // namespace

std::vector<const XmlElement*> XmlElement::named(std::string_view child) const {
  std::vector<const XmlElement*> found;
  for (const XmlElement& one : children)
    if (one.name == child) found.push_back(&one);
  return found;
}

std::optional<std::string> XmlElement::textOf(std::string_view element) const {
  for (const XmlElement& child : children) {
    if (child.name == element) return child.text;
    if (auto text = child.textOf(element)) return text;
  }
  return std::nullopt;
}

Result<XmlElement> parseXml(std::string_view document) { return XmlReader(document).read(); }

std::string xmlEscaped(std::string_view text) {
  std::string escaped;
  for (const char letter : text) {
    const auto entity = std::ranges::find(kEntities, letter, &Entity::second);
    if (entity == std::end(kEntities))
      escaped += letter;
    else
      escaped += fmt::format("&{};", entity->first);
  }
  return escaped;
}

}  // namespace vintage::archive
