// The files of the live page, which are part of the program.
#pragma once

#include <string_view>
#include <vector>

namespace oxpool::daemon::http {

struct PageFile {
  std::string_view path;  // "/" or "/ui/…"
  std::string_view content_type;
  std::string_view bytes;
};

// The definition is made from ui/ when this is built.
const std::vector<PageFile>& page_files();

}  // namespace oxpool::daemon::http
