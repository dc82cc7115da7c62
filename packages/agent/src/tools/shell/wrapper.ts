/** The first bytes of the output are kept, and of the rest the last one to three parts. */
export const HEAD_BYTES = 4 * 1024 * 1024;
export const PART_BYTES = 2 * 1024 * 1024;

/**
 * What stands between the daemon and a command, in words every system understands. It is started as the
 * leader of a new session, and:
 *
 *   1. records who it is (boot, process, start time), so that it can be found again after a restart;
 *   2. runs the command with its output going through `keep`, which bounds what lands on the disk even
 *      when no daemon is there to look (what cannot be written ends the keeping, not the command: that it
 *      was so is recorded and said, and whoever looks decides);
 *   3. records the exit status, and says it on descriptor 3 to the daemon that may be listening.
 *
 * What was printed is in the file at once where `stdbuf` is, otherwise in steps of a few kilobytes.
 * It ends when the output has ended too. A record is a line on descriptor 4, written at once; one that
 * is not whole does not count. Being asked to terminate ends the command, not the bookkeeping: that goes
 * on until there is nothing more to keep.
 *
 * Nothing that stands where a file of it should be is written to or followed: the status file is opened
 * by who starts it, and the others must not be there yet.
 *
 * Who waits for the command holds the other end of descriptor 3. When that is closed, because the daemon
 * was killed, nobody stops the command in time any more: so all of it is killed, also what left its group
 * but carries the nonce in its environment. A line that is written there lets it go on by itself, and one
 * that is not held was let go from the beginning.
 *
 * With an input the command reads from a named pipe that it holds open itself: whoever may write there
 * comes and goes, and it never sees an end.
 *
 * What the shell itself would say of how the command died is no output of the command: that is why it is
 * started in a subshell, which becomes it.
 *
 * Every program it starts costs as much as a short command does, so it does what it can by itself.
 *
 * It runs outside the sandbox. So it starts other programs only by the paths it is given, which nobody but
 * root can change, and sets the variables of the command, its PATH among them, only for the command.
 *
 * Arguments: output file, input or nothing, nonce, the library that `stdbuf` would load or nothing, whether
 * it is held, the paths of head, cat, rm, grep, mkfifo and of stdbuf or nothing, how many variables there
 * are for the command, these, the command.
 */
export const WRAPPER = `
output=$1 input=$2 nonce=$3 library=$4 held=$5
shift 5
head=$1 cat=$2 rm=$3 grep=$4 mkfifo=$5 stdbuf=$6 variables=$7
shift 7
boot= start=
started() { shift 19; start=$1; }
if read -r boot </proc/sys/kernel/random/boot_id && read -r stat <"/proc/$$/stat"; then
  started \${stat##*) }
else
  boot=$(/usr/sbin/sysctl -n kern.boottime) start=$(/bin/ps -o lstart= -p $$)
fi 2>/dev/null
record() {
  printf '{"nonce":"%s","bootId":"%s","pid":%d,"startTime":"%s"%s}\\n' \\
    "$nonce" "$boot" $$ "$start" "$1" >&4
}
keep() {
  trap '' TERM INT HUP
  umask 077
  set -C
  set -- "$head"
  if [ -n "$library" ]; then export LD_PRELOAD="$library" _STDBUF_O=0
  elif [ -n "$stdbuf" ]; then set -- "$stdbuf" -o0 "$head"
  fi
  part=0 file=$output bytes=${HEAD_BYTES} why=
  while [ ! -e "$file" ] && [ ! -h "$file" ] &&
    why=$("$@" -c $bytes 2>&1 >"$file" 3>&- 4>&-); do
    if [ ! -s "$file" ]; then
      [ $part -eq 0 ] || "$rm" -f "$file"
      return
    fi
    [ $part -lt 3 ] || "$rm" -f "$output.$((part - 2))"
    part=$((part + 1)) file=$output.$part bytes=${PART_BYTES}
  done
  trap '' PIPE
  why=\${why##*: }
  case $why in '' | *[!A-Za-z\\ ]*) why='it could not be written' ;; esac
  record ",\\"outputLost\\":\\"$why\\""
  echo "!$why" >&3
  "$cat" >/dev/null 3>&- 4>&-
}
end() {
  for look in 1 2 3; do
    for at in $("$grep" -ls "=$nonce" /proc/[0-9]*/environ); do
      at=\${at%/environ}
      kill -KILL \${at#/proc/}
    done
  done
  kill -KILL 0
}
trap : TERM INT HUP
if [ -n "$input" ]; then "$mkfifo" -m 600 "$input" || exit 125; fi
record '' || exit 125
watcher=
if [ -n "$held" ] && { [ -S /dev/fd/3 ] || [ -p /dev/fd/3 ]; }; then
  { trap '' TERM INT HUP; read -r released <&3 || end; } 4>&- &
  watcher=$!
fi
{
  trap : TERM INT HUP
  if [ -n "$input" ]; then exec <>"$input"; else exec </dev/null; fi
  (while [ $variables -gt 0 ]; do export "$1"; shift; variables=$((variables - 1)); done
    exec "$@" 2>&1 3>&- 4>&-)
  code=$?
  record ",\\"exitCode\\":$code"
  echo $code >&3
} | keep
if [ -n "$watcher" ]; then
  kill -KILL $watcher
  wait $watcher
fi
`;
