import { AgentDefinition } from '@stoa/protocol';
import { describe, expect, it } from 'vitest';
import { agentFileText, readAgentFile } from './agent-file.js';

describe('readAgentFile', () => {
  it('takes the fields of the front matter and the text below it', () => {
    const text = [
      '---',
      'displayName: Player',
      'driver: { kind: script, script: "turns: []" }',
      '---',
      '',
      '# You are a player',
      '---',
      'not a field',
      '',
    ].join('\n');
    const definition = readAgentFile(text, 'player.md');
    expect(definition).toEqual({
      displayName: 'Player',
      driver: { kind: 'script', script: 'turns: []' },
      instructions: '# You are a player\n---\nnot a field',
    });
    expect(AgentDefinition.safeParse(definition).success).toBe(true);
  });

  it('reads files of other systems', () => {
    const text = '\ufeff---\r\ndriver:\r\n  kind: builtin\r\n---\r\nHello\r\n';
    expect(readAgentFile(text, 'a.md')).toEqual({
      driver: { kind: 'builtin' },
      instructions: 'Hello',
    });
  });

  it('reports the line of an error once, without the excerpt below it', () => {
    expect(() => readAgentFile('---\na: [1\nb: 2\n---\n', 'a.md')).toThrow(
      /^a\.md, line \d: (?!.*(?:line|column) \d).*[^:]$/,
    );
  });

  it('reads back what is written of a definition', () => {
    const definition = AgentDefinition.parse({
      displayName: 'Host: "the first"',
      description: 'No: yes # not a comment',
      driver: { kind: 'script', script: 'turns:\n  - when: { contains: "---" }\n---\n# end\n' },
      permissions: { allow: ['Shell(git status)'] },
      instructions: '# Be kind\n\n---\nand brief',
    });
    const read = readAgentFile(agentFileText(definition), 'host.md');
    expect(AgentDefinition.parse(read)).toEqual(definition);
    const { instructions: _, ...bare } = definition;
    const without = readAgentFile(agentFileText({ ...bare, instructions: '' }), 'host.md');
    expect(AgentDefinition.parse(without)).toEqual({ ...bare, instructions: '' });
  });

  it.each([
    ['no front matter', 'Hello', 'does not begin with front matter'],
    ['no end of it', '---\na: 1\n', 'does not begin with front matter'],
    ['a fault, with its line', '---\na: 1\na: 2\n---\n', 'a.md, line 3: Map keys must be unique'],
    ['nothing in it', '---\n\n---\n', 'has no fields'],
  ])('says what is wrong with a file that has %s', (_, text, message) => {
    expect(() => readAgentFile(text, 'a.md')).toThrow(message);
  });
});
