#!/usr/bin/env bash
# Installs what the checks need and is missing: a C compiler for SQLite, a
# PostgreSQL server, a browser, fonts for the scripts that names are written in, and the page
# checkers of package.json. It changes nothing where all of it is there. Debian
# packages need root; without it, or without apt-get, one line says what to
# install by hand.
set -euo pipefail
cd "$(dirname "$0")/.."

missing=()
need() { # need COMMANDS PACKAGE…: the packages, unless one of the commands is there
	local commands=$1 command
	shift
	for command in $commands; do
		if command -v "$command" >/dev/null; then return; fi
	done
	missing+=("$@")
}
font() { # font LANGUAGES PACKAGE: the package, unless fonts cover the languages
	local language
	for language in $1; do
		if ! command -v fc-list >/dev/null || [ -z "$(fc-list ":lang=$language" file)" ]; then
			missing+=("$2")
			return
		fi
	done
}

family() { # family NAMES PACKAGE: the package, unless one of the families is there
	local name
	while read -r name; do
		if command -v fc-list >/dev/null && [ -n "$(fc-list "$name" file)" ]; then return; fi
	done <<<"${1//,/$'\n'}"
	missing+=("$2")
}

if ! command -v go >/dev/null; then
	echo "install: go is missing: install Go 1.26 or newer" >&2
	exit 1
fi
need "gcc clang cc" gcc libc6-dev
need "chromium chromium-browser google-chrome" chromium
if [ -z "$(find /usr/lib/postgresql -name initdb 2>/dev/null)" ]; then need initdb postgresql; fi
need node nodejs
need npm npm
need fc-list fontconfig
font "zh ja ko" fonts-noto-cjk
font "ar el vi he hi th" fonts-noto-core
family "Noto Sans,Liberation Sans,Arial" fonts-liberation # of the stylesheet's: DejaVu is a fifth wider

if [ "${#missing[@]}" -gt 0 ]; then
	if [ "$(id -u)" -ne 0 ] || ! command -v apt-get >/dev/null; then
		echo "install: missing and not installable from here (no root or no apt-get): ${missing[*]}" >&2
		exit 1
	fi
	export DEBIAN_FRONTEND=noninteractive
	if ! { apt-get update -q && apt-get install -q -y --no-install-recommends "${missing[@]}"; } >&2; then
		echo "install: apt-get could not install: ${missing[*]}" >&2
		exit 1
	fi
fi

# npm writes node_modules/.package-lock.json last, so it tells whether what is
# there is whole and as new as the lock file.
if [ ! -e node_modules/.package-lock.json ] || [ package-lock.json -nt node_modules/.package-lock.json ]; then
	if ! npm ci --ignore-scripts --no-audit --no-fund >&2; then
		echo "install: npm could not install the packages of package-lock.json" >&2
		exit 1
	fi
fi
