// The tests with third-party programs (agents and tools), which are downloaded and slow to start: `npm test` only names them.
import fs from 'node:fs';
import path from 'node:path';
import { root } from './run.mjs';

export const programTests = [
  'packages/agent/src/acp/acp-qwen.test.ts',
  'tests/agent-programs.test.ts',
  'tests/mixed-channel.test.ts',
  'tests/program-table.test.ts',
  'tests/openapi-proxy.test.ts',
];

/** The cases of docs/spec in their titles. */
export function programCases() {
  const texts = programTests.map((file) => fs.readFileSync(path.join(root, file), 'utf8'));
  const titles = texts.flatMap((text) => text.match(/(?<=\bit\(['"`])(?:[A-Z]+-\d+ )+/g) ?? []);
  const cases = new Set(titles.flatMap((ids) => ids.trim().split(' ')));
  return [...cases].sort((a, b) => a.localeCompare(b, 'en', { numeric: true }));
}
