import { describe, expect, it } from 'vitest';
import { Readers } from './readers.js';

const left = Object.assign(new Error('write EPIPE'), { code: 'EPIPE' });
const full = Object.assign(new Error('ENOSPC: no space left on device, write'), { code: 'ENOSPC' });

function readers(): { readonly told: string[]; readonly readers: Readers } {
  const told: string[] = [];
  const leaving = {
    endWith: (code: number) => told.push(`ends with ${code}`),
    exit: (code: number) => told.push(`exits with ${code}`),
    say: (text: string) => told.push(text),
  };
  return { told, readers: new Readers(leaving) };
}

describe('readers', () => {
  it('that have seen enough let a command end well', () => {
    const { told, readers: those } = readers();
    those.lost('standard output', left);
    expect(told).toEqual(['exits with 0']);
  });

  it('that have no room for it are told in one line, and it ends with 1', () => {
    const { told, readers: those } = readers();
    those.lost('standard output', full);
    expect(told).toEqual([
      'ends with 1',
      'cannot write to standard output: ENOSPC: no space left on device, write',
      'exits with 1',
    ]);
  });

  it('are outlived by a command that has work of its own, which is told once', () => {
    const { told, readers: those } = readers();
    those.outlive(() => told.push('gone'));
    those.lost('standard output', left);
    those.lost('standard error', left);
    expect(told).toEqual(['gone']);
  });

  it('are outlived where there is no room, too, but not without a trace', () => {
    const { told, readers: those } = readers();
    those.outlive(() => told.push('gone'));
    those.lost('standard output', full);
    those.lost('standard output', full);
    expect(told).toEqual([
      'ends with 1',
      'cannot write to standard output: ENOSPC: no space left on device, write',
      'gone',
    ]);
  });
});
