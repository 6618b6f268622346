// S3's answers: XML documents. A document that is not complete is no answer, since a list that was
// cut off looks like a shorter list.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "golden/base/result.h"

namespace vintage::archive {

// Attributes and namespaces say nothing in S3's answers, and are dropped.
struct XmlElement {
  std::string name;
  std::string text;  // Its own, with entities replaced.
  std::vector<XmlElement> children;

  std::vector<const XmlElement*> named(std::string_view child) const;
  // Of the first element of this name, at any depth.
  std::optional<std::string> textOf(std::string_view element) const;
};

// kBadInput where it is not one whole document, or declares a type.
Result<XmlElement> parseXml(std::string_view document);

// A text as it is written into an element.
std::string xmlEscaped(std::string_view text);

}  // namespace vintage::archive
