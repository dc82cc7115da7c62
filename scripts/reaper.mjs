// Runs beside a test run, apart from its process group, and cleans up after it however it ended: `startRun` starts it
// with the directories of the run as arguments and keeps the other end of its input. When that is closed, by the runner at
// its end or by the system after `kill -9`, it ends every process of the run and removes the directories.
import { reap } from './leftovers.mjs';

for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => undefined);
await new Promise((resolve) => process.stdin.on('close', resolve).on('error', resolve).resume());
await reap(process.argv.slice(2));
