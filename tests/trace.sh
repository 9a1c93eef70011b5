#!/usr/bin/env bash
# Shows that nothing is written but to the terminal, standard output and the state folder, and that no network is used.
# Usage: tests/trace.sh PENTIMENTO LOG. Needs strace; `script` gives the interface its terminal.
set -euo pipefail
program=$1 log=$2
for needed in strace script; do
    command -v "$needed" > /dev/null || { echo "skipped: $needed is not there"; exit 0; }
done
strace -f -o /dev/null true 2> /dev/null || { echo "skipped: strace may not trace here"; exit 0; }
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
export PENTIMENTO_STATE=$folder/state
calls=network,openat,open,creat,unlink,unlinkat,rename,renameat,renameat2,mkdir,mkdirat,truncate,ftruncate,link,linkat
for arguments in "info $log" "tree $log" "sessions $(dirname "$log")"; do
    # shellcheck disable=SC2086 # two words
    strace -f -qq -e "trace=$calls" -o "$folder/trace.${arguments%% *}" "$program" $arguments > /dev/null || true
done
(sleep 2; printf '2'; sleep 1; printf 'q') | script -qec \
    "strace -f -qq -e trace=$calls -o $folder/trace.interface $program $log" /dev/null > /dev/null || true
# The names of calls, and the flags behind a path: a path may hold any of these words itself.
changes='^[0-9]+ +(creat|unlink|unlinkat|rename[a-z0-9]*|mkdir|mkdirat|f?truncate|link|linkat|socket|connect|bind|sendto)\('
opens='^[0-9]+ +open(at)?\(.*", [A-Z_|]*O_(WRONLY|RDWR|CREAT)'
# A terminal is opened to be written to; sockets in pairs join threads of this process.
if grep -hE "$changes|$opens" "$folder"/trace.* \
    | grep -vE "$folder/state|/dev/(tty|pts|null)|ENOENT|sendto\([0-9]+, \"[^\"]*\", 1,"; then
    echo "the calls above write elsewhere, or use a network"
    exit 1
fi
grep -q "$(basename "$log")" "$folder/trace.interface" || { echo "the interface did not open the log"; exit 1; }
echo "nothing else was written, no network was used: $(cat "$folder"/trace.* | wc -l) calls looked at"
