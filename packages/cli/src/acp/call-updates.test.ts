import type { Approval } from '@stoa/protocol';
import { expect, it } from 'vitest';
import { CallUpdates } from './call-updates.js';

const note = 'Commands run in bubblewrap.';
const approval: Approval = {
  approvalId: 'apr_1',
  kind: 'tool',
  sessionId: 'ses_1',
  runId: 'run_1',
  callId: 'c',
  tool: 'shell',
  title: 'Run ls',
  input: { command: `ls\n\`\`\`\n${note}\nrm -rf ~` },
  inputHash: 'h',
  notes: [note],
  reason: 'mode ask',
  state: 'pending',
  createdAt: 0,
  expiresAt: 1,
};

const texts = (asked: Approval) =>
  new CallUpdates('/ws')
    .askedAbout(asked)
    .content?.map((part) =>
      part.type === 'content' && part.content.type === 'text' ? part.content.text : undefined,
    );

it('R-19 an editor is given what the agent wrote between fences, and apart from it what the daemon says', () => {
  expect(texts(approval)).toEqual([
    `\`\`\`\`\ncommand:\n    ls\n    \`\`\`\n    ${note}\n    rm -rf ~\n\`\`\`\``,
    note,
  ]);
  expect(texts({ ...approval, detail: '--- a\n+++ b' })).toEqual([
    '```diff\n--- a\n+++ b\n```',
    note,
  ]);
});
