#include "embedded_php.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <thread>

#include "main/SAPI.h"
#include "main/php_main.h"
#include "sapi/embed/php_embed.h"

namespace oxpool::test {

namespace {

std::string settings;                        // of php.ini's kind
const zend_function_entry* given_functions;  // see EmbeddedPhp
thread_local std::string* output = nullptr;  // of this thread's request

size_t keep_output(const char* text, size_t bytes) {
  if (output != nullptr) output->append(text, bytes);
  return bytes;
}

// php_embed_init() sets its own settings and functions right before it calls this.
int start(sapi_module_struct* module) {
  free(module->ini_entries);
  module->ini_entries = strdup(settings.c_str());
  module->additional_functions = given_functions;
  return php_module_startup(module, nullptr);
}

// No object with a destructor: PHP may jump out of the code that it runs.
void evaluate(const char* code) {
  zend_first_try {
    zend_eval_string_ex(const_cast<char*>(code), nullptr, const_cast<char*>("thread"), true);
  }
  zend_end_try();
}

}  // namespace

EmbeddedPhp::EmbeddedPhp(const std::string& extension, const std::string& runtime_directory,
                         const zend_function_entry* functions) {
  settings = "extension=" + extension + "\noxpool.runtime_dir=" + runtime_directory +
             "\ndisplay_errors=1\nhtml_errors=0\nmax_execution_time=0\n";
  given_functions = functions;
  php_embed_module.startup = start;
  php_embed_module.ub_write = keep_output;
  php_embed_module.php_ini_ignore = 1;
  if (php_embed_init(0, nullptr) != SUCCESS) {
    fprintf(stderr, "PHP could not be started\n");
    abort();
  }
}

EmbeddedPhp::~EmbeddedPhp() { php_embed_shutdown(); }

std::string run_request(const std::string& code, Leaving leaving) {
  std::string echoed;
  output = &echoed;
  ts_resource(0);
  if (php_request_startup() != SUCCESS) return "the request could not be started";
  SG(headers_sent) = 1;
  SG(request_info).no_headers = 1;
  evaluate(code.c_str());
  php_request_shutdown(nullptr);
  if (leaving == Leaving::kFreesItself) ts_free_thread();
  output = nullptr;
  return echoed;
}

std::string run_in_thread(const std::string& code, Leaving leaving) {
  std::string echoed;
  std::thread([&] { echoed = run_request(code, leaving); }).join();
  return echoed;
}

}  // namespace oxpool::test
