/**
 * Stands between the daemon and an agent program, as the leader of their group. The daemon holds the
 * other end of descriptor 3 open and never writes to it: when the daemon ends, however that happens,
 * reading there ends too, and the group is killed. Its exit status is that of the program.
 *
 * Being asked to terminate is for the program to follow: the guard goes on until that has ended.
 */
export const GUARD = `
exec 4<&0 </dev/null
"$@" <&4 4<&- 3<&- &
child=$!
exec 4<&- >&- 2>/dev/null
{ trap '' TERM INT HUP; read -r nothing <&3; kill -KILL 0; } &
watcher=$!
trap : TERM INT HUP
while :; do
  wait $child
  code=$?
  kill -0 $child 2>/dev/null || break
done
kill -KILL $watcher 2>/dev/null
exit $code
`;
