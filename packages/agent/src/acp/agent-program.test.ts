import { describe, expect, it } from 'vitest';
import { agentProgram } from './agent-program.js';

const ENVIRONMENT = {
  PATH: '/usr/bin',
  HOME: '/home/ada',
  OPENAI_API_KEY: 'key-of-the-daemon',
  STOA_HOME: '/home/ada/.stoa',
  MY_MODEL: 'some-model',
};

describe('the program of a definition', () => {
  it.each([
    ['qwen', ['--approval-mode', 'default'], {}, 'default'],
    ['claude', [], { ENABLE_TOOL_SEARCH: 'false' }, 'default'],
    ['codex', [], { INITIAL_AGENT_MODE: 'read-only' }, 'read-only'],
    ['gemini', ['--approval-mode', 'default', '-m'], {}, 'default'],
    ['opencode', ['acp'], {}, 'build'],
  ] as const)(
    '%s asks before it acts, even if the definition sets another mode',
    (preset, args, env, mode) => {
      const program = agentProgram(
        {
          kind: 'acp',
          preset,
          command: ['/opt/agent'],
          env: { INITIAL_AGENT_MODE: 'agent-full-access' },
        },
        ENVIRONMENT,
      );
      expect(program.command[0]).toBe('/opt/agent');
      for (const arg of args) expect(program.command).toContain(arg);
      expect(program.environment).toMatchObject(env);
      expect(program.askingMode).toBe(mode);
    },
  );

  it('AC-7 opencode asks about everything that does not only read', () => {
    const { environment } = agentProgram({ kind: 'acp', preset: 'opencode' }, ENVIRONMENT);
    const permission = JSON.parse(environment['OPENCODE_PERMISSION'] ?? '') as Record<
      string,
      string
    >;
    const allowed = Object.entries(permission).filter(([, answer]) => answer !== 'ask');
    expect(permission['*']).toBe('ask');
    expect(allowed.map(([name]) => name)).toEqual([
      ...['read', 'list', 'glob', 'grep', 'todoread', 'todowrite'],
    ]);
  });

  it('gets the usual and the named variables of the daemon, and no other keys', () => {
    const { environment, secrets } = agentProgram(
      { kind: 'acp', command: ['agent'], env: { A_KEY: '$OPENAI_API_KEY', MODEL: '${MY_MODEL}' } },
      ENVIRONMENT,
    );
    expect(environment).toMatchObject({
      PATH: '/usr/bin',
      HOME: '/home/ada',
      A_KEY: 'key-of-the-daemon',
      MODEL: 'some-model',
    });
    expect(environment).not.toHaveProperty('OPENAI_API_KEY');
    expect(environment).not.toHaveProperty('STOA_HOME');
    expect(secrets).toEqual(['key-of-the-daemon']);
  });

  it.each([
    [{ env: { A: '$STOA_HOME' } }, 'STOA_HOME is not set'],
    [{ env: { STOA_TOKEN: 'x' } }, 'STOA_TOKEN'],
    [{ env: { A: '$NOT_THERE' } }, 'NOT_THERE is not set'],
  ])('%j is refused', (config, message) => {
    const make = () => agentProgram({ kind: 'acp', command: ['agent'], ...config }, ENVIRONMENT);
    expect(make).toThrow(message);
  });

  it('needs a preset or a command', () => {
    expect(() => agentProgram({ kind: 'acp' }, ENVIRONMENT)).toThrow('preset and command');
  });

  it('keeps its family and sessions when its key or path changes', () => {
    const of = (command: string, key: string) =>
      agentProgram({ kind: 'acp', preset: 'qwen', command: [command], env: { K: key } }, {});
    expect(of('/a/qwen', '1').family).toBe(of('/b/qwen', '2').family);
    expect(of('/a/qwen', '1').digest).not.toBe(of('/a/qwen', '2').digest);
  });
});
