// Colours, where somebody can see them.
#pragma once

#include <string>
#include <string_view>

namespace oxpool::ctl {

enum class Tone { kPlain, kHeader, kGood, kWarning, kBad, kFaint };

class Style {
 public:
  explicit Style(bool coloured) : coloured_(coloured) {}

  // Colours only if `fd` is a terminal that has them and NO_COLOR (no-color.org) is not set.
  static Style for_output(int fd);

  bool coloured() const { return coloured_; }
  std::string paint(Tone tone, std::string_view text) const;

 private:
  bool coloured_;
};

}  // namespace oxpool::ctl
