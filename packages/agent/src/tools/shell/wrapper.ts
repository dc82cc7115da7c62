/** The first bytes of an output are kept, and of the rest the last one to three parts. */
export const HEAD_BYTES = 4 * 1024 * 1024;
export const PART_BYTES = 2 * 1024 * 1024;

/**
 * The POSIX shell script that runs a command for the daemon. It is started as the leader of a new session, and:
 *
 *   1. records its identity (boot, process id, start time), so that it can be found after a restart;
 *   2. runs the command and passes its output through `keep`, which limits the size on disk even if no daemon is
 *      running. If the output cannot be written, the command continues; the failure is recorded and reported;
 *   3. records the exit code, and reports it on descriptor 3 to the daemon, if it is still connected.
 *
 * Output reaches the file at once if `stdbuf` is installed, otherwise in steps of a few kilobytes. The wrapper
 * ends when the output ends. A record is one line on descriptor 4; an incomplete line is ignored. SIGTERM ends
 * the command, and the wrapper continues until it has stored all output.
 *
 * It never writes to or follows an existing file: the daemon opens the status file, and the other files must not
 * exist yet.
 *
 * A daemon that waits for the command holds the other end of descriptor 3. When that closes because the daemon was
 * killed, the wrapper kills everything, including processes that left the group but have the nonce in their
 * environment. A line on descriptor 3 releases the command; one that is not held is released from the start.
 *
 * With an input, the command reads from a named pipe that it holds open itself, so that it never sees an end of
 * file, however many writers open and close the pipe.
 *
 * The command starts in a subshell that becomes it: otherwise the shell's message about a signal would be output.
 * Each program costs as much time as a short command, so the wrapper starts as few as possible.
 *
 * It runs outside the sandbox. So it starts programs only by the paths that it is given, which only root can
 * change, and sets the variables of the command, including PATH, only for the command.
 *
 * Arguments: output file; input or empty; nonce; the library that `stdbuf` would preload, or empty; whether it is
 * held; the paths of head, cat, rm, grep, mkfifo, and of stdbuf or empty; the number of variables for the command;
 * these variables; the command.
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
  for attempt in 1 2 3; do
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
