#include "daemon/http/page.h"

#include <string>

#include "daemon/http/page_files.h"

namespace oxpool::daemon::http {

namespace {

// Nothing but what this daemon serves is loaded or asked, nothing in the page is run as a script,
// no text becomes HTML, and no other site shows the page in a frame. uPlot sets styles one by one,
// which this allows.
constexpr const char* kSecurityPolicy =
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'; "
    "require-trusted-types-for 'script'; trusted-types 'none'";

}  // namespace

void add_page(Router* router) {
  for (const PageFile& file : page_files()) {
    const auto answer = [&file] {
      return Response{.content_type = std::string(file.content_type),
                      .body = std::string(file.bytes),
                      .headers = {{"Content-Security-Policy", kSecurityPolicy},
                                  {"Referrer-Policy", "no-referrer"},
                                  {"Cross-Origin-Resource-Policy", "same-origin"}}};
    };
    if (file.path == "/") {
      router->add_ignoring_parameters("/", answer);
    } else {
      router->add_unlisted(std::string(file.path), answer);
    }
  }
}

}  // namespace oxpool::daemon::http
