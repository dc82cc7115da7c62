import { describe, expect, it } from 'vitest';
import { Readers } from './readers.js';

const left = Object.assign(new Error('write EPIPE'), { code: 'EPIPE' });
const full = Object.assign(new Error('ENOSPC: no space left on device, write'), { code: 'ENOSPC' });

function readers(): { readonly calls: string[]; readonly readers: Readers } {
  const calls: string[] = [];
  const leaving = {
    endWith: (code: number) => calls.push(`ends with ${code}`),
    exit: (code: number) => calls.push(`exits with ${code}`),
    say: (text: string) => calls.push(text),
  };
  return { calls, readers: new Readers(leaving) };
}

describe('readers', () => {
  it('that have seen enough let a command end well', () => {
    const { calls, readers: those } = readers();
    those.lost('standard output', left);
    expect(calls).toEqual(['exits with 0']);
  });

  it('without space for it cause one line, and it ends with 1', () => {
    const { calls, readers: those } = readers();
    those.lost('standard output', full);
    expect(calls).toEqual([
      'ends with 1',
      'cannot write to standard output: ENOSPC: no space left on device, write',
      'exits with 1',
    ]);
  });

  it('are outlived by a command that has its own work, which is notified once', () => {
    const { calls, readers: those } = readers();
    those.outlive(() => calls.push('gone'));
    those.lost('standard output', left);
    those.lost('standard error', left);
    expect(calls).toEqual(['gone']);
  });

  it('are outlived where there is no room, too, but not without a trace', () => {
    const { calls, readers: those } = readers();
    those.outlive(() => calls.push('gone'));
    those.lost('standard output', full);
    those.lost('standard output', full);
    expect(calls).toEqual([
      'ends with 1',
      'cannot write to standard output: ENOSPC: no space left on device, write',
      'gone',
    ]);
  });
});
