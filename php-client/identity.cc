#include "identity.h"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <utility>

#include "error_log.h"
#include "sentence.h"
#include "shm/layout.h"

namespace oxpool::php {

namespace {

constexpr int kFingerprintDigits = 12;
constexpr int kShortenedDigits = 16;
constexpr int kMaxDepth = 32;  // of arrays in arrays; references can make them endless

template <typename T>
void append_raw(std::string* to, T value) {
  char bytes[sizeof value];
  std::memcpy(bytes, &value, sizeof value);
  to->append(bytes, sizeof bytes);
}

void append_text(std::string* to, const zend_string* text) {
  append_raw(to, ZSTR_LEN(text));
  to->append(ZSTR_VAL(text), ZSTR_LEN(text));
}

// One value in a form that no other value has. Objects and resources count by their kind only: they
// have no value that would be the same in another process.
void append_value(std::string* to, const zval* value, int depth) {
  if (Z_TYPE_P(value) == IS_INDIRECT) value = Z_INDIRECT_P(value);
  ZVAL_DEREF(value);
  to->push_back(static_cast<char>(Z_TYPE_P(value)));
  switch (Z_TYPE_P(value)) {
    case IS_LONG:
      append_raw(to, Z_LVAL_P(value));
      break;
    case IS_DOUBLE:
      append_raw(to, Z_DVAL_P(value));
      break;
    case IS_STRING:
      append_text(to, Z_STR_P(value));
      break;
    case IS_ARRAY: {
      if (depth >= kMaxDepth) break;
      append_raw(to, zend_hash_num_elements(Z_ARRVAL_P(value)));
      zend_ulong index;
      zend_string* key;
      zval* element;
      ZEND_HASH_FOREACH_KEY_VAL(Z_ARRVAL_P(value), index, key, element) {
        if (key != nullptr) {
          append_text(to, key);
        } else {
          append_raw(to, index);
        }
        append_value(to, element, depth + 1);
      }
      ZEND_HASH_FOREACH_END();
      break;
    }
    default:
      break;
  }
}

bool has_a_value(const zval* value) { return Z_TYPE_P(value) <= IS_ARRAY; }

// Whether the variable is one that the closure's own code declares static. What it captured is the
// rest; that is asked this way round because the optimiser drops the binding of a captured variable
// that is not used, and a name must not depend on the optimiser.
bool declared_static(const zend_op_array& code, const HashTable* variables, const zval* variable) {
  const auto offset = static_cast<uint32_t>(reinterpret_cast<const char*>(variable) -
                                            reinterpret_cast<const char*>(variables->arData));
  for (uint32_t i = 0; i < code.last; ++i) {
    const zend_op& op = code.opcodes[i];
    bool binds = op.opcode == ZEND_BIND_STATIC &&
                 (op.extended_value & (ZEND_BIND_IMPLICIT | ZEND_BIND_EXPLICIT)) == 0;
#ifdef ZEND_BIND_INIT_STATIC_OR_JMP
    binds = binds || op.opcode == ZEND_BIND_INIT_STATIC_OR_JMP;
#endif
    constexpr uint32_t kFlags = ZEND_BIND_REF | ZEND_BIND_IMPLICIT | ZEND_BIND_EXPLICIT;
    if (binds && (op.extended_value & ~kFlags) == offset) return true;
  }
  return false;
}

// What the closure captured by value: scalars and arrays. Empty when there is nothing of the kind.
std::string captured_values(const zval* factory) {
  std::string result;
  if (Z_TYPE_P(factory) != IS_OBJECT || Z_OBJCE_P(factory) != zend_ce_closure) return result;
  const zend_function* function = zend_get_closure_method_def(Z_OBJ_P(factory));
  if (function->type != ZEND_USER_FUNCTION) return result;
  const zend_op_array& code = function->op_array;
  auto* variables = static_cast<HashTable*>(ZEND_MAP_PTR_GET(code.static_variables_ptr));
  if (variables == nullptr) return result;
  zend_string* name;
  zval* value;
  ZEND_HASH_FOREACH_STR_KEY_VAL(variables, name, value) {
    if (name == nullptr || !has_a_value(value) || declared_static(code, variables, value)) continue;
    append_text(&result, name);
    append_value(&result, value, 0);
  }
  ZEND_HASH_FOREACH_END();
  return result;
}

// "FILE:LINE"
std::string line_that_runs() {
  const zend_string* file = zend_get_executed_filename_ex();
  std::string line = file != nullptr ? std::string(ZSTR_VAL(file), ZSTR_LEN(file)) : "[no file]";
  return line + ":" + std::to_string(zend_get_executed_lineno());
}

bool path_moves(const std::string& base) {
  return base.starts_with("phar://") || base.find("eval()'d code") != std::string::npos ||
         base.find("/releases/") != std::string::npos;
}

}  // namespace

uint32_t TwinNumbers::take(const std::string& base) {
  std::vector<bool>& taken = taken_[base];
  const auto free = std::find(taken.begin(), taken.end(), false);
  const auto index = static_cast<uint32_t>(free - taken.begin());
  if (free == taken.end()) taken.push_back(false);
  taken[index] = true;
  return index + 1;
}

void TwinNumbers::give_back(const std::string& base, uint32_t number) {
  const auto found = taken_.find(base);
  if (found == taken_.end() || number == 0 || number > found->second.size()) return;
  found->second[number - 1] = false;
  while (!found->second.empty() && !found->second.back()) found->second.pop_back();
  if (found->second.empty()) taken_.erase(found);
}

std::string pool_base(const zval* factory, const HashKey& key) {
  std::string base = line_that_runs();
  const std::string captured = captured_values(factory);
  if (!captured.empty()) base += " #" + keyed_hash_hex(key, captured, kFingerprintDigits);
  return base;
}

std::string mutex_base() { return line_that_runs() + " mutex"; }

std::string AutomaticName::take(std::string from_base, TwinNumbers& names, const HashKey& key) {
  base = std::move(from_base);
  number = names.take(base);
  std::string name = base;
  if (number > 1) name += " (" + std::to_string(number) + ")";
  if (name.size() <= shm::kNameBytes) return name;
  const std::string hash = "~" + keyed_hash_hex(key, name, kShortenedDigits);
  return name.substr(0, shm::kNameBytes - hash.size()) + hash;
}

void AutomaticName::give_back(TwinNumbers& names) {
  if (number != 0) names.give_back(base, std::exchange(number, 0));
}

void advise_on_moving_paths(const char* what, const std::string& base) {
  static std::atomic<bool> said{false};
  if (said || !path_moves(base) || said.exchange(true)) return;
  log_line("the " + std::string(what) + " " + quoted(base) +
           " is named after a path that is another one after the next deploy; workers of before "
           "and after then have two " +
           (strcmp(what, "pool") == 0 ? "budgets" : "values") + ". Give it a name (option `name`)");
}

}  // namespace oxpool::php
