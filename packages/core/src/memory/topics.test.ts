import { describe, expect, it } from 'vitest';
import { chooseTopics } from './choose-topics.js';
import { memoryDirectory } from './memory-files.js';
import { indexText, type Topic, topicsOf } from './topics.js';

const file = (name: string, text: string) => ({ name, text, updatedAt: 1 });
const topic = (name: string, chars: number, about = ''): Topic => ({
  name,
  line: about,
  text: 'x'.repeat(chars),
});

describe('the topics of a memory', () => {
  it('have the line that a person wrote in the index, or their own first line', () => {
    const files = [
      file('INDEX.md', '# Mine\n\n- [Deploying](deploy.md): by hand, on Fridays\n- nonsense\n'),
      file('deploy.md', '# Deploy\n\nSteps'),
      file('on call.md', '\n## Who is on call\nAda'),
    ];
    const topics = topicsOf({ files, problems: [] }, 'shared');
    expect(topics.map(({ name, line }) => [name, line])).toEqual([
      ['deploy.md', 'by hand, on Fridays'],
      ['on call.md', 'Who is on call'],
    ]);
    const again = { files: [file('INDEX.md', indexText(topics)), ...files.slice(1)], problems: [] };
    expect(topicsOf(again, 'shared')).toEqual(topics);
    expect(topicsOf({ files, problems: [] }, 'isolated')[0]?.name).toBe('isolated/deploy.md');
  });

  it('are chosen in full if all fit, in the order of their names', () => {
    const { index, topics, unlisted } = chooseTopics(
      [topic('a.md', 100, 'first'), topic('b.md', 200, 'second')],
      'something else',
      3_000,
    );
    expect(topics.map(({ name, isWhole }) => [name, isWhole])).toEqual([
      ['a.md', true],
      ['b.md', true],
    ]);
    expect([index, unlisted]).toEqual(['- a.md: first\n- b.md: second', 0]);
  });

  it('are chosen by relevance otherwise, within the budget', () => {
    const topics = [
      topic('billing.md', 1_000, 'invoices'),
      topic('deploy.md', 900, 'how we deploy'),
      topic('pets.md', 2_000, 'the canary'),
      topic('zebra.md', 500, 'stripes'),
    ];
    const chosen = chooseTopics(topics, 'How do we DEPLOY the canary?', 2_400);
    expect(chosen.topics.map(({ name, text, isWhole }) => [name, text.length, isWhole])).toEqual([
      ['deploy.md', 900, true],
      ['pets.md', 300, false],
    ]);
    expect(chosen.index).toContain('zebra.md');
    const tight = chooseTopics(topics, 'deploy', 120);
    expect([tight.index, tight.topics, tight.unlisted]).toEqual(['', [], 4]);
  });

  it('are in a directory that people recognise and that no other memory can have', () => {
    const memory = { memoryId: `mem_${'ab'.repeat(20)}`, namespace: '../Channel: Öps/..' };
    expect(memoryDirectory(memory, 'shared')).toBe('channel-ps-abababababababab');
    expect(memoryDirectory(memory, 'isolated')).toBe('channel-ps-abababababababab.isolated');
    expect(memoryDirectory({ ...memory, namespace: '…' }, 'shared')).toBe(
      'memory-abababababababab',
    );
  });
});
