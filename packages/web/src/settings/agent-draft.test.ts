import { AgentDefinition } from '@stoa/protocol';
import { describe, expect, it } from 'vitest';
import { definitionFrom, draftOf, NEW_AGENT } from './agent-draft.js';

const definitions = [
  { driver: { kind: 'builtin', provider: 'openai', model: 'small', maxSteps: 7 } },
  {
    displayName: 'Qwen',
    driver: {
      kind: 'acp',
      preset: 'qwen',
      command: ['qwen', '--acp'],
      env: { KEY: '$KEY', A: 'b=c' },
    },
    mode: 'plan',
    permissions: { deny: ['Shell(rm *)'], allow: ['Shell(git *)', 'Edit(src/**)'] },
  },
  {
    description: 'Plays',
    driver: { kind: 'script', script: 'otherwise:\n  - say: Hello\n' },
    mcpServers: { files: { command: 'files', args: ['.'] } },
    tools: { without: ['shell'] },
    instructions: 'Be brief.\n',
  },
].map((definition) => AgentDefinition.parse(definition));

describe('an agent as a form', () => {
  it('becomes the same definition again, with what the form does not show', () => {
    for (const definition of definitions) {
      expect(definitionFrom(draftOf(definition), definition)).toEqual({ definition });
    }
  });

  it('leaves out what is empty', () => {
    expect(definitionFrom({ ...NEW_AGENT, driver: { model: ' small ' } })).toEqual({
      definition: { driver: { kind: 'builtin', model: 'small' }, mode: 'ask', instructions: '' },
    });
    const [first] = definitions;
    const cleared = { ...draftOf(first as AgentDefinition), driver: { provider: '', model: '' } };
    expect(definitionFrom(cleared, first)).toMatchObject({
      definition: { driver: { kind: 'builtin', maxSteps: 7 } },
    });
  });

  it('says at which fields it cannot be read, at all of them', () => {
    const draft = { ...NEW_AGENT, kind: 'acp' as const, driver: { env: 'KEY' } };
    expect(definitionFrom({ ...draft, mcpServers: '[1]' })).toEqual({
      unreadable: {
        'driver.env': 'One NAME=value per line.',
        mcpServers: 'Enter a JSON object of server names and their settings.',
      },
    });
  });
});
