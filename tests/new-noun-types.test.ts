import { describe, expect, it } from 'vitest';
import { TreeWithNoun } from './tree-with-noun.js';

describe('a noun that is one folder per package and eight lines elsewhere', () => {
  it('fits the types of every package, and the rules for imports', { timeout: 600_000 }, () => {
    const tree = new TreeWithNoun();
    try {
      tree.write('tsconfig.noun.json', {
        extends: './tsconfig.tests.json',
        include: ['packages/*/src/**/*.ts'],
      });
      expect(tree.run('node_modules/typescript/bin/tsc', '--project', 'tsconfig.noun.json')).toBe(
        '',
      );
      const cruiser = 'node_modules/dependency-cruiser/bin/dependency-cruise.mjs';
      const cruised = tree.run(cruiser, '--config', '.dependency-cruiser.cjs', 'packages');
      expect(cruised).toContain('no dependency violations found');
    } finally {
      tree.remove();
    }
  });
});
