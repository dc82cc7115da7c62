/** The first bytes of the output are kept, and of the rest the last one to two parts. */
export const HEAD_BYTES = 4 * 1024 * 1024;
export const PART_BYTES = 2 * 1024 * 1024;

/**
 * What stands between the daemon and a command, in words every system understands. It is started as the
 * leader of a new session, and:
 *
 *   1. records who it is (boot, process, start time), so that it can be found again after a restart;
 *   2. runs the command with its output going through `keep`, which bounds what lands on the disk even
 *      when no daemon is there to look (a disk that is full ends the keeping, not the command);
 *   3. records the exit status, and says it on descriptor 3 to the daemon that may be listening.
 *
 * What was printed is in the file at once where `stdbuf` is, otherwise in steps of a few kilobytes.
 * It ends when the output has ended too. A record is a line, written at once; one that is not whole
 * does not count. Being asked to terminate ends the command, not the bookkeeping: that goes on until
 * there is nothing more to keep.
 *
 * Who waits for the command holds the other end of descriptor 3. When that is closed, because the daemon
 * was killed, nobody stops the command in time any more: so all of it is killed, also what left its group
 * but carries the nonce in its environment. A line that is written there lets it go on by itself.
 *
 * Every program it starts costs as much as a short command does, so it does what it can by itself.
 *
 * Arguments: status file, output file, nonce, a variable for the command or nothing, the library that
 * `stdbuf` would load or nothing, the command.
 */
export const WRAPPER = `
status=$1 output=$2 nonce=$3 variable=$4 library=$5
shift 5
boot= start=
started() { shift 19; start=$1; }
if read -r boot </proc/sys/kernel/random/boot_id && read -r stat <"/proc/$$/stat"; then
  started \${stat##*) }
fi 2>/dev/null
record() {
  printf '{"nonce":"%s","bootId":"%s","pid":%d,"startTime":"%s"%s}\\n' \\
    "$nonce" "$boot" $$ "$start" "$1" >>"$status"
}
keep() {
  trap '' TERM INT HUP
  now=
  if [ -n "$library" ]; then export LD_PRELOAD="$library" _STDBUF_O=0
  elif command -v stdbuf >/dev/null; then now='stdbuf -o0'
  fi
  part=0 file=$output bytes=${HEAD_BYTES}
  while $now head -c $bytes >"$file"; do
    [ -s "$file" ] || return
    [ $part -lt 2 ] || rm -f "$output.$((part - 1))"
    part=$((part + 1)) file=$output.$part bytes=${PART_BYTES}
  done
  cat >/dev/null
}
end() {
  for look in 1 2 3; do
    for at in $(grep -ls "=$nonce" /proc/[0-9]*/environ); do
      at=\${at%/environ}
      kill -KILL \${at#/proc/}
    done
  done
  kill -KILL 0
}
trap : TERM INT HUP
record '' || exit 125
watcher=
if [ -S /dev/fd/3 ] || [ -p /dev/fd/3 ]; then
  { trap '' TERM INT HUP; read -r released <&3 || end; } &
  watcher=$!
fi
{
  trap : TERM INT HUP
  [ -z "$variable" ] || export "$variable"
  "$@" </dev/null 2>&1 3>&-
  code=$?
  record ",\\"exitCode\\":$code"
  echo $code >&3
} | keep 3>&-
if [ -n "$watcher" ]; then
  kill -KILL $watcher
  wait $watcher
fi
`;
