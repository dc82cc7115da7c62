// The tests with programs of others, agents and tools: they are fetched once and take their time to start,
// so `npm test` only names them.
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

/** The cases that their titles name. */
export function casesOfPrograms() {
  const texts = programTests.map((file) => fs.readFileSync(path.join(root, file), 'utf8'));
  const titled = texts.flatMap((text) => text.match(/(?<=\bit\(['"`])(?:[A-Z]+-\d+ )+/g) ?? []);
  const cases = new Set(titled.flatMap((ids) => ids.trim().split(' ')));
  return [...cases].sort((a, b) => a.localeCompare(b, 'en', { numeric: true }));
}
