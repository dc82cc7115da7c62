import { LIMITS } from '@stoa/protocol';
import { VirtualMemoryFiles } from '@stoa/testkit';
import { beforeEach, describe, expect, it } from 'vitest';
import { DraftFolder } from './draft-folder.js';

let files: VirtualMemoryFiles;
const open = async (): Promise<DraftFolder> => new DraftFolder(await files.read('ops'));
const textOf = (name: string): string | undefined => files.folders.get('ops')?.get(name);
beforeEach(async () => {
  files = new VirtualMemoryFiles();
  await files.write('ops', 'INDEX.md', '- [On Call.md](On%20Call.md): who to wake\n');
  await files.write('ops', 'On Call.md', 'Ada');
  await files.write('ops', 'deploy.md', 'by hand');
});

describe('the files of a memory while a dream works on them', () => {
  it('do not change until it is done, and then have an index with a line for each', async () => {
    const draft = await open();
    draft.write('deploy.md', 'how we deploy', 'by machine');
    draft.write('pets.md', 'animals', 'a canary');
    expect([draft.read('deploy.md'), textOf('deploy.md')]).toEqual(['by machine\n', 'by hand']);
    expect(draft.touched).toEqual(['deploy.md', 'pets.md']);
    expect(await draft.apply(files, 'ops')).toEqual({
      written: ['deploy.md', 'pets.md'],
      warnings: [],
      unwritten: [],
    });
    expect(textOf('deploy.md')).toBe('by machine\n');
    expect(textOf('INDEX.md')).toBe(
      '# What is remembered here\n\n- [On Call.md](On%20Call.md): who to wake\n' +
        '- [deploy.md](deploy.md): how we deploy\n- [pets.md](pets.md): animals\n',
    );
  });

  it('T-39 have plain names in one folder, and no name leads out of it', async () => {
    const draft = await open();
    const bad = [
      '../x.md',
      '/etc/x.md',
      'a/b.md',
      '..',
      'INDEX.md',
      'index.md',
      '.x.md',
      'x',
      'é.md',
    ];
    for (const name of [...bad, 'a\0.md', 'New One.md']) {
      expect(() => {
        draft.write(name, 'x', 'x');
      }).toThrow('no name for a topic');
    }
    draft.write('On Call.md', 'who to wake', 'Bob');
    expect(draft.touched).toEqual(['On Call.md']);
    expect(() => {
      draft.write('big.md', 'x', 'ä'.repeat(LIMITS.memoryFileBytes / 2 + 1));
    }).toThrow('too large');
    expect(() => {
      draft.remove('nothing.md');
    }).toThrow('There is no topic');
  });

  it('are not overwritten if a person edited them meanwhile', async () => {
    const draft = await open();
    draft.write('deploy.md', 'how', 'by machine');
    draft.remove('On Call.md');
    draft.write('new.md', 'new', 'mine');
    await files.write('ops', 'deploy.md', 'by hand, wrote Ada');
    await files.write('ops', 'new.md', 'theirs');
    const { written, warnings } = await draft.apply(files, 'ops');
    expect([written, warnings.length]).toEqual([[], 3]);
    // A topic that was merged into one that stays unchanged is not removed either.
    expect([textOf('deploy.md'), textOf('new.md'), textOf('On Call.md')]).toEqual([
      'by hand, wrote Ada',
      'theirs',
      'Ada',
    ]);
  });

  it('are removed although a person edited another one that was to be removed', async () => {
    await files.write('ops', 'pets.md', 'a canary');
    const draft = await open();
    draft.remove('pets.md');
    draft.remove('deploy.md');
    await files.write('ops', 'pets.md', 'a canary and a cat');
    expect(await draft.apply(files, 'ops')).toEqual({
      written: ['deploy.md'],
      warnings: ['pets.md was changed by somebody meanwhile and stays unchanged'],
      unwritten: [],
    });
    expect([textOf('pets.md'), textOf('deploy.md')]).toEqual(['a canary and a cat', undefined]);
  });

  it('are written before the topics that were merged into them are removed', async () => {
    const draft = await open();
    draft.remove('deploy.md');
    draft.write('all.md', 'all of it', 'by hand');
    const order: string[] = [];
    const [write, remove] = [files.write.bind(files), files.remove.bind(files)];
    files.write = (directory, name, text) => {
      order.push(`write ${name}`);
      return write(directory, name, text);
    };
    files.remove = (directory, name) => {
      order.push(`remove ${name}`);
      return remove(directory, name);
    };
    await draft.apply(files, 'ops');
    expect(order).toEqual(['write all.md', 'remove deploy.md', 'write INDEX.md']);
  });

  it('that cannot be read are not written', () => {
    const problems = [{ name: 'link.md', problem: 'a link' }];
    const draft = new DraftFolder({ files: [], problems });
    expect(() => {
      draft.write('link.md', 'x', 'x');
    }).toThrow('link.md cannot be read and stays unchanged');
  });

  it('do not exceed the maximum number', async () => {
    const draft = await open();
    expect(() => {
      for (let i = 0; i <= LIMITS.memoryFiles; i++) draft.write(`t${String(i)}.md`, 'x', 'x');
    }).toThrow('too many topics');
    await draft.apply(files, 'ops');
    expect(files.folders.get('ops')?.size).toBeLessThanOrEqual(LIMITS.memoryFiles);
  });
});
