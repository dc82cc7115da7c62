import { execFile, execFileSync, type StdioOptions } from 'node:child_process';
import type { FoundProcess, ProcessMarks } from './found-process.js';

/**
 * What /proc says elsewhere, asked of `ps` and `sysctl`. Nothing here is run on other systems; what these
 * programs print is read by the functions below, which are tested with samples of it.
 */
export async function macosProcesses(marks: ProcessMarks): Promise<FoundProcess[] | undefined> {
  // With `-E` and `-ww` the environment stands behind the arguments, for processes of the same user.
  const listed = await output('/bin/ps', ['-axEww', '-o', 'pid=,pgid=,stat=,command=']);
  return listed === undefined ? undefined : processesIn(listed, marks);
}

/** Lines of pid, group, state and command with its environment. */
export function processesIn(listed: string, { leader, marker }: ProcessMarks): FoundProcess[] {
  return listed.split('\n').flatMap((line) => {
    const [, pid, group, state = '', rest = ''] = LINE.exec(line) ?? [];
    if (pid === undefined || state.startsWith('Z')) return [];
    const isMarked = ` ${rest} `.includes(` ${marker} `);
    const isInGroup = leader !== undefined && Number(group) === leader;
    return isInGroup || isMarked ? [{ pid: Number(pid), isInGroup, isMarked }] : [];
  });
}

const LINE = /^\s*(\d+)\s+(\d+)\s+(\S+)\s(.*)$/;

export function macosStartTime(pid: number): string | undefined {
  try {
    const asked = ['-o', 'lstart=', '-p', String(pid)];
    const stdio: StdioOptions = ['ignore', 'pipe', 'ignore'];
    return execFileSync('/bin/ps', asked, { encoding: 'utf8', stdio }).trim() || undefined;
  } catch {
    return undefined;
  }
}

export async function macosBootId(): Promise<string | undefined> {
  return (await output('/usr/sbin/sysctl', ['-n', 'kern.boottime']))?.trim();
}

function output(program: string, args: readonly string[]): Promise<string | undefined> {
  return new Promise((resolve) => {
    execFile(program, args, { maxBuffer: 64 * 1024 * 1024 }, (error, stdout) => {
      resolve(error ? undefined : stdout);
    });
  });
}
