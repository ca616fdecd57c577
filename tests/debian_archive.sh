# shellcheck shell=bash
# Where this machine's apt gets Debian 12 from: other suites and sources of Debian are taken from there too. Sourced.

# shellcheck disable=SC2034  # read by whoever sources this file
debian_keyring=/usr/share/keyrings/debian-archive-keyring.gpg

# Prints the address; returns 1 with a sentence on stderr when apt has no such source.
debian_archive() {
  local address
  address=$(bookworm_source)
  if [[ ! $address ]]; then # a machine on which "apt-get update" never ran may not know its sources' names
    apt-get -qq update </dev/null >&2 || true
    address=$(bookworm_source)
  fi
  if [[ ! $address ]]; then
    echo "apt has no source for Debian 12 (bookworm, main) on this machine" >&2
    return 1
  fi
  printf '%s\n' "$address"
}

bookworm_source() {
  # shellcheck disable=SC2016  # the variables are apt's
  apt-get indextargets --format '$(REPO_URI) $(RELEASE) $(CODENAME)' 'Created-By: Packages' 'Component: main' |
    awk '$2 == "bookworm" || $3 == "bookworm" { print $1; exit }'
}
