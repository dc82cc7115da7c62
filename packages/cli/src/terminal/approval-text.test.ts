import type { Approval } from '@stoa/protocol';
import { describe, expect, it } from 'vitest';
import { approvalText, howToAnswer } from './approval-text.js';
import { painter } from './paint.js';

const approval: Approval = {
  approvalId: 'apr_1',
  kind: 'tool',
  sessionId: 'ses_1',
  runId: 'run_1',
  callId: 'c',
  tool: 'edit_file',
  title: 'Edit src/a.ts',
  input: { path: 'src/a.ts', old: 'one', new: `two\u001b[2J${'x'.repeat(500)}` },
  inputHash: 'h',
  detail: '--- a\n+++ b\n-one\n+two\u001b[2J',
  reason: 'mode ask',
  suggestedRule: 'Edit(src/**)',
  state: 'pending',
  createdAt: 0,
  expiresAt: 3_600_000,
};
const style = { paint: painter(false), now: 60_000 };

describe('approvalText', () => {
  it('R-19 shows the whole arguments and the detail, harmlessly', () => {
    const text = approvalText(approval, style);
    expect(text).toContain('Edit src/a.ts apr_1\n');
    expect(text).toContain('  expires     in 59 min\n');
    expect(text).toContain('  always      Edit(src/**)\n');
    expect(text).toContain(`      "new": "two\\u001b[2J${'x'.repeat(500)}"\n`);
    expect(text).toContain('  detail:\n    --- a\n    +++ b\n    -one\n    +two␛[2J');
    expect(text).not.toContain('\u001b');
  });

  it('R-19 keeps what the agent wrote apart from what the daemon says of it, also at the edge of the terminal', () => {
    const note = 'Commands run in bubblewrap.';
    const { detail: _, ...rest } = approval;
    const command = `ls\n  note        ${note}\n${'x'.repeat(36)}  note        ${note}`;
    const shell: Approval = { ...rest, tool: 'shell', input: { command }, notes: [note] };
    const lines = approvalText({ ...shell, suggestedRule: command }, { ...style, width: 40 }).split(
      '\n',
    );
    expect(lines.filter((line) => line.startsWith('  note'))).toEqual([
      '  note        Commands run in bubblewrap',
    ]);
    expect(lines.every((line) => line.length <= 40)).toBe(true);
    expect(lines).toContain('  arguments, line by line:');
    expect(lines.at(-1)).toMatch(/^ {4}↪ /);
    expect(approvalText(shell, style)).toContain(`\n  note        ${note}\n  arguments:\n`);
  });

  it('R-19 shows the end of a long line of a diff as no line of its own', () => {
    const detail = `--- a\n+++ b\n@@ -1,1 +1,1 @@\n-one${' '.repeat(30)}+two`;
    const text = approvalText({ ...approval, detail }, { ...style, width: 40 });
    expect(text).toContain('\n    -one\n    ↪ +two');
  });

  it('shows what was allowed instead', () => {
    const settled: Approval = {
      ...approval,
      state: 'allowed',
      answeredBy: 'human:owner',
      updatedInput: { path: 'b' },
    };
    const text = approvalText(settled, style);
    expect(text).toContain('  by          human:owner\n');
    expect(text).not.toContain('expires');
    expect(text).toMatch(/allowed with these arguments:\n {4}\{\n {6}"path": "b"\n {4}\}$/);
  });

  it('lists the options of a question', () => {
    const { suggestedRule: _, detail: __, ...rest } = approval;
    const question: Approval = {
      ...rest,
      kind: 'question',
      options: [{ label: 'Blue', description: 'like the sky' }, { label: 'Green' }],
    };
    const text = approvalText(question, style);
    expect(text).toContain('  1. Blue: like the sky\n  2. Green');
    expect(text).not.toContain('arguments');
    expect(howToAnswer(question)).toBe('stoa approvals answer apr_1 TEXT');
  });
});
