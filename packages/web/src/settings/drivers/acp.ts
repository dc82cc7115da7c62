import type { AcpPreset, DriverConfigOf } from '@stoa/protocol';
import { type DriverForm, given, linesOf, listed } from './form.js';

const PRESETS: readonly AcpPreset[] = ['qwen', 'claude', 'codex', 'gemini', 'opencode'];

export const acpForm: DriverForm<DriverConfigOf<'acp'>> = {
  label: 'An agent program (ACP)',
  rows: [
    [
      {
        name: 'preset',
        label: 'Program',
        control: 'choice',
        choices: [
          { value: '', label: 'Another program (enter its command)' },
          ...PRESETS.map((value) => ({ value, label: value })),
        ],
      },
      { name: 'model', label: 'Model', control: 'text', placeholder: 'the default of the program' },
    ],
    [
      {
        name: 'command',
        label: 'Command',
        control: 'area',
        hint: 'One argument per line. Programs in the list need no command.',
      },
      {
        name: 'env',
        label: 'Environment',
        control: 'area',
        placeholder: 'API_KEY=$API_KEY',
        hint: 'One NAME=value per line. $NAME refers to the daemon’s environment.',
      },
    ],
  ],
  draftOf: ({ preset = '', model = '', command = [], env = {} }) => ({
    preset,
    model,
    command: command.join('\n'),
    env: Object.entries(env)
      .map(([name, value]) => `${name}=${value}`)
      .join('\n'),
  }),
  read({ preset = '', command, env, model }) {
    const variables = environmentFrom(env);
    if (!variables) return { unreadable: { env: 'One NAME=value per line.' } };
    return {
      driver: {
        kind: 'acp',
        ...(preset === '' ? {} : { preset: preset as AcpPreset }),
        ...listed('command', linesOf(command)),
        ...(Object.keys(variables).length === 0 ? {} : { env: variables }),
        ...given('model', model),
      },
    };
  },
  summaryOf: ({ preset, command, model }) =>
    [preset ?? command?.[0], model].filter(Boolean).join(' · '),
};

function environmentFrom(text: string | undefined): Record<string, string> | undefined {
  const pairs = linesOf(text).map((line) => /^([^=]+)=(.*)$/s.exec(line));
  if (pairs.some((pair) => pair === null)) return undefined;
  return Object.fromEntries(pairs.map((pair) => [pair?.[1] ?? '', pair?.[2] ?? '']));
}
