import { simulate } from '@stoa/testkit';
import { expect, it } from 'vitest';

it('first', async () => {
  const from = Number(process.env['STOA_SEED'] ?? 1);
  const count = Number(process.env['N'] ?? 1);
  const t = performance.now();
  let steps = 0;
  let failures = 0;
  for (let seed = from; seed < from + count; seed++) {
    try {
      const r = await simulate(seed);
      steps += r.steps;
      if (count === 1 && process.env['TRACE']) console.log(r.trace.join('\n'));
    } catch (e) {
      failures++;
      if (failures <= Number(process.env['SHOW'] ?? 1))
        console.log(String((e as Error).message), count === 1 ? (e as Error).cause : '');
    }
  }
  console.log({ failures, count, steps, seconds: (performance.now() - t) / 1000 });
  expect(failures).toBe(0);
}, 1e6);
