import type { AgentDraft } from './agent-draft.js';
import { SelectField, TextAreaField, TextField } from './fields.js';

const KINDS = [
  { value: 'builtin', label: 'A model, in Stoa’s own loop' },
  { value: 'acp', label: 'An agent program (ACP)' },
  { value: 'script', label: 'A script' },
];

const PRESETS = ['qwen', 'claude', 'codex', 'gemini', 'opencode'].map((value) => ({
  value,
  label: value,
}));

interface DriverFieldsProps {
  readonly draft: AgentDraft;
  readonly field: (
    name: keyof AgentDraft,
    at?: string,
  ) => {
    readonly value: string;
    readonly problem: string | undefined;
    readonly onChange: (value: string) => void;
  };
}

/** What executes the agent, and on which model. */
export function DriverFields({ draft, field }: DriverFieldsProps) {
  return (
    <>
      <SelectField label="Driver" choices={KINDS} {...field('kind', 'driver')} />
      {draft.kind === 'builtin' ? (
        <div className="grid gap-3 wide:grid-cols-2">
          <TextField
            label="Model"
            placeholder="that of the configuration"
            isCode
            {...field('model', 'driver.model')}
          />
          <TextField
            label="Provider"
            placeholder="that of the configuration"
            isCode
            {...field('provider', 'driver.provider')}
          />
        </div>
      ) : null}
      {draft.kind === 'acp' ? (
        <>
          <div className="grid gap-3 wide:grid-cols-2">
            <SelectField
              label="Program"
              choices={[{ value: '', label: 'Another, by its command' }, ...PRESETS]}
              {...field('preset', 'driver.preset')}
            />
            <TextField
              label="Model"
              placeholder="that of the program"
              isCode
              {...field('model', 'driver.model')}
            />
          </div>
          <div className="grid gap-3 wide:grid-cols-2">
            <TextAreaField
              label="Command"
              isCode
              hint="One argument a line. A program of the list needs none."
              {...field('command', 'driver.command')}
            />
            <TextAreaField
              label="Environment"
              isCode
              placeholder="API_KEY=$API_KEY"
              hint="One NAME=value a line; $NAME is taken from the daemon’s."
              {...field('env', 'driver.env')}
            />
          </div>
        </>
      ) : null}
      {draft.kind === 'script' ? (
        <>
          <TextAreaField
            label="Script"
            isCode
            rows={8}
            placeholder={'otherwise:\n  - say: Hello, ${from}.'}
            {...field('script', 'driver.script')}
          />
          <TextField label="Or a file in the workspace" isCode {...field('file', 'driver.file')} />
        </>
      ) : null}
    </>
  );
}
