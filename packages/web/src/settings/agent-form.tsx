import type { Agent, AgentDefinition, PermissionMode } from '@stoa/protocol';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { client } from '../data/client.js';
import { queryClient } from '../data/queries.js';
import { toast } from '../ui/toast.js';
import { type AgentDraft, definitionFrom, draftOf, NEW_AGENT } from './agent-draft.js';
import { DriverFields } from './driver-fields.js';
import { DRIVER_FORMS } from './drivers/drivers.js';
import { SelectField, TextAreaField, TextField } from './fields.js';
import { FormDialog } from './form-dialog.js';
import { emptyOf, type FieldProblems, problemsOf } from './problems.js';
import { FormProblem } from './section.js';
import { AGENTS_KEY } from './workers.js';

const FIELDS = [
  'agentId',
  'displayName',
  'description',
  'instructions',
  'mode',
  'driver',
  ...Object.values(DRIVER_FORMS).flatMap(({ rows }) =>
    rows.flat().map(({ name }) => `driver.${name}`),
  ),
  'permissions',
  'permissions.allow',
  'permissions.ask',
  'permissions.deny',
  'mcpServers',
];

const MODES = [
  { value: 'plan', label: 'Plan: reads, changes nothing' },
  { value: 'ask', label: 'Ask: reads, asks before everything else' },
  { value: 'auto-edit', label: 'Edit: reads and edits, asks before commands' },
  { value: 'full', label: 'Full: asks only before paths outside the workspace' },
];

interface AgentFormProps {
  /** Undefined for a new one. */
  readonly agent: Agent | undefined;
  readonly onClose: () => void;
}

export function AgentForm({ agent, onClose }: AgentFormProps) {
  const before = agent?.definition;
  const [agentId, setAgentId] = useState(agent?.agentId ?? '');
  const [draft, setDraft] = useState<AgentDraft>(before ? draftOf(before) : NEW_AGENT);
  const [unreadable, setUnreadable] = useState<FieldProblems>({});
  const save = useMutation({
    mutationFn: (definition: AgentDefinition) =>
      agent
        ? client.agents.put(agent.agentId, definition)
        : client.agents.put(agentId.trim(), definition, { existing: 'refuse' }),
    onSuccess: async ({ name }) => {
      await queryClient.invalidateQueries({ queryKey: AGENTS_KEY });
      toast.tell(`${name} is saved.`);
      onClose();
    },
  });
  const { blamed } = DRIVER_FORMS[draft.kind];
  const refused = problemsOf(save.error, FIELDS, {
    byCode: {
      unknown_model: 'driver.model',
      unknown_driver: 'driver',
      agent_exists: 'agentId',
      agent_in_file: 'agentId',
      invalid_agent: blamed === undefined ? 'driver' : `driver.${blamed}`,
    },
    written: { agentId: 'Lowercase letters, digits, dots and dashes.' },
  });
  const problems = { ...refused.fields, ...unreadable };
  const field = (name: Exclude<keyof AgentDraft, 'driver'>, at: string = name) => ({
    value: draft[name],
    problem: problems[at],
    onChange: (value: string) => setDraft({ ...draft, [name]: value }),
  });
  const driverField = (name: string) => ({
    value: draft.driver[name] ?? '',
    problem: problems[`driver.${name}`],
    onChange: (value: string) => setDraft({ ...draft, driver: { ...draft.driver, [name]: value } }),
  });
  const submit = (): void => {
    save.reset();
    const read = definitionFrom(draft, before);
    // Without one the address would be that of the list.
    const missing = emptyOf({ agentId });
    setUnreadable({ ...missing, ...('unreadable' in read ? read.unreadable : {}) });
    if (!('unreadable' in read) && agentId.trim() !== '') save.mutate(read.definition);
  };
  return (
    <FormDialog
      title={agent ? `Edit ${agent.name}` : 'New agent'}
      deed="Save"
      isDisabled={save.isPending}
      problems={{ ...refused, fields: problems }}
      wide
      onSubmit={submit}
      onClose={onClose}
    >
      <div className="grid gap-3 wide:grid-cols-2">
        <TextField
          label="Id"
          hint="Lowercase letters, digits, dots and dashes. You cannot change it later."
          isCode
          disabled={agent !== undefined}
          value={agentId}
          onChange={setAgentId}
          problem={problems['agentId']}
        />
        <TextField label="Name" placeholder={agentId} {...field('displayName')} />
      </div>
      <TextField label="Description" {...field('description')} />
      <DriverFields
        kind={draft.kind}
        problem={problems['driver']}
        onKind={(kind) => setDraft({ ...draft, kind })}
        field={driverField}
      />
      <TextAreaField
        label="Instructions"
        hint="Who the agent is and how it works. Every run includes them."
        rows={6}
        {...field('instructions')}
      />
      <SelectField
        label="Permission mode"
        choices={MODES}
        value={draft.mode}
        problem={problems['mode']}
        onChange={(mode) => setDraft({ ...draft, mode: mode as PermissionMode })}
      />
      <details
        className="rounded-lg border border-line px-3 py-2"
        open={
          Object.keys(problems).some((name) => /^permissions|^mcpServers/.test(name)) || undefined
        }
      >
        <summary className="cursor-pointer text-[13px] font-medium">Rules and MCP servers</summary>
        <div className="mt-3 space-y-3">
          <div className="grid gap-3 wide:grid-cols-3">
            <TextAreaField
              label="Always allow"
              isCode
              placeholder="Shell(git diff *)"
              hint="One rule per line."
              {...field('allow', 'permissions.allow')}
            />
            <TextAreaField label="Always ask" isCode {...field('ask', 'permissions.ask')} />
            <TextAreaField label="Always deny" isCode {...field('deny', 'permissions.deny')} />
          </div>
          <FormProblem text={problems['permissions']} />
          <TextAreaField
            label="MCP servers"
            isCode
            rows={5}
            placeholder={'{ "files": { "command": "mcp-files", "args": ["."] } }'}
            hint="JSON: server names, each with a command or a url. Keep keys in the daemon’s environment and refer to them as $NAME."
            {...field('mcpServers')}
          />
        </div>
      </details>
    </FormDialog>
  );
}
