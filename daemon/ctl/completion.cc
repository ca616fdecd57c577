#include "daemon/ctl/completion.h"

#include <vector>

#include "daemon/ctl/arguments.h"

namespace oxpool::ctl {

namespace {

std::string joined(const std::vector<std::string>& words, const char* separator = " ") {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : separator) + word;
  return text;
}

std::vector<std::string> names_of(const std::vector<VerbSummary>& verbs) {
  std::vector<std::string> names;
  for (const VerbSummary& verb : verbs) names.push_back(verb.name);
  return names;
}

// Its first word is another verb; behind that one comes a mutex.
bool is_mutex(const VerbSummary& verb) { return verb.name == "mutex"; }

// What a verb's first word may be, besides options.
std::string words_of(const VerbSummary& verb) {
  if (verb.name == "completion") return "bash zsh fish";
  if (is_mutex(verb)) return "reset";
  return "";
}

// Ids, as names may have anything in them; asked for when somebody completes.
std::string ids_of(const std::string& listing_verb, const std::string& dollar = "$") {
  return "oxpoolctl --timeout 1s " + listing_verb + " 2>/dev/null | awk 'NR > 1 {print " + dollar +
         "1}'";
}

std::string bash() {
  const std::vector<VerbSummary> verbs = verb_summaries();
  std::string text =
      "# oxpoolctl completion for bash; put it into "
      "/usr/share/bash-completion/completions/oxpoolctl\n"
      "_oxpoolctl() {\n"
      "  local word=${COMP_WORDS[COMP_CWORD]} verb= i options= words=\n"
      "  COMPREPLY=()\n"
      "  for ((i = 1; i < COMP_CWORD; i++)); do\n"
      "    case ${COMP_WORDS[i]} in\n"
      "      " +
      joined(names_of(verbs), " | ") +
      ") verb=${COMP_WORDS[i]}; break ;;\n"
      "    esac\n"
      "  done\n"
      "  case $verb in\n"
      "    '') options='" +
      joined(common_options()) + "' words='" + joined(names_of(verbs)) + "' ;;\n";
  for (const VerbSummary& verb : verbs) {
    text += "    " + verb.name + ") options='" + joined(verb.options) + "'";
    if (verb.takes_pool) {
      text += " words=$([[ $word == -* ]] || " + ids_of("list") + ")";
    } else if (is_mutex(verb)) {
      text += " words='" + words_of(verb) +
              "'\n      [[ ${COMP_WORDS[COMP_CWORD-1]} == " + words_of(verb) +
              " ]] && words=$([[ $word == -* ]] || " + ids_of("mutexes") + ")";
    } else {
      text += " words='" + words_of(verb) + "'";
    }
    text += " ;;\n";
  }
  return text +
         "  esac\n"
         "  if [[ $word == -* ]]; then words=$options; fi\n"
         "  mapfile -t COMPREPLY < <(compgen -W \"$words\" -- \"$word\")\n"
         "}\n"
         "complete -F _oxpoolctl oxpoolctl\n";
}

std::string quoted_for_shell(const std::string& text) {
  std::string result = "'";
  for (const char c : text) result += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return result + "'";
}

std::string zsh() {
  std::string text =
      "#compdef oxpoolctl\n"
      "# oxpoolctl completion for zsh; put it into a folder of $fpath as _oxpoolctl\n"
      "_oxpoolctl() {\n"
      "  local -a verbs\n"
      "  local verb= word\n"
      "  verbs=(\n";
  for (const VerbSummary& verb : verb_summaries()) {
    text += "    " + quoted_for_shell(verb.name + ":" + verb.help) + "\n";
  }
  text +=
      "  )\n"
      "  for word in ${words[2,CURRENT-1]}; do\n"
      "    if [[ -n ${verbs[(r)$word:*]} ]]; then verb=$word; break; fi\n"
      "  done\n"
      "  case $verb in\n"
      "    '')\n"
      "      if [[ ${words[CURRENT]} == -* ]]; then compadd -- " +
      joined(common_options()) +
      "\n"
      "      else _describe command verbs; fi ;;\n";
  for (const VerbSummary& verb : verb_summaries()) {
    std::string others = words_of(verb);
    if (verb.takes_pool) others = "$(" + ids_of("list") + ")";
    if (is_mutex(verb)) {
      others = "$([[ ${words[CURRENT-1]} == " + words_of(verb) + " ]] && (" + ids_of("mutexes") +
               ") || echo " + words_of(verb) + ")";
    }
    text += "    " + verb.name + ")\n      if [[ ${words[CURRENT]} == -* ]]; then compadd -- " +
            joined(verb.options) + "\n      else compadd -- " + others + "; fi ;;\n";
  }
  return text +
         "  esac\n"
         "}\n"
         "if [[ $funcstack[1] == _oxpoolctl ]]; then _oxpoolctl \"$@\"; else compdef _oxpoolctl "
         "oxpoolctl; fi\n";
}

std::string fish() {
  const std::vector<VerbSummary> verbs = verb_summaries();
  std::string text =
      "# oxpoolctl completion for fish; put it into ~/.config/fish/completions/oxpoolctl.fish\n"
      "complete -c oxpoolctl -f\n"
      "set -l verbs " +
      joined(names_of(verbs)) + "\n";
  for (const std::string& option : common_options()) {
    text += "complete -c oxpoolctl -l " + option.substr(2) + "\n";
  }
  for (const VerbSummary& verb : verbs) {
    text += "complete -c oxpoolctl -n \"not __fish_seen_subcommand_from $verbs\" -a " + verb.name +
            " -d " + quoted_for_shell(verb.help) + "\n";
    const std::string when =
        "complete -c oxpoolctl -n '__fish_seen_subcommand_from " + verb.name + "'";
    for (const std::string& option : verb.options) text += when + " -l " + option.substr(2) + "\n";
    if (verb.takes_pool) {
      text += when + " -a \"(" + ids_of("list", "\\$") + ")\"\n";
    } else if (is_mutex(verb)) {
      text +=
          "complete -c oxpoolctl -n '__fish_seen_subcommand_from mutex; and not "
          "__fish_seen_subcommand_from " +
          words_of(verb) + "' -a " + words_of(verb) + "\n" +
          "complete -c oxpoolctl -n '__fish_seen_subcommand_from mutex; and "
          "__fish_seen_subcommand_from " +
          words_of(verb) + "' -a \"(" + ids_of("mutexes", "\\$") + ")\"\n";
    } else if (!words_of(verb).empty()) {
      text += when + " -a '" + words_of(verb) + "'\n";
    }
  }
  return text;
}

}  // namespace

std::string completion_script(const std::string& shell) {
  if (shell == "zsh") return zsh();
  if (shell == "fish") return fish();
  return bash();
}

}  // namespace oxpool::ctl
