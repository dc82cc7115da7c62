import type { Channel } from '@stoa/protocol';
import { type SubmitEvent, useState } from 'react';
import { Button } from '../ui/button.js';
import { useChangeChannel } from './change-channel.js';
import { durationText } from './durations.js';
import { TextField } from './fields.js';
import {
  POLICY_FIELDS,
  POLICY_GROUPS,
  policyChange,
  standardText,
  type WrittenPolicy,
  writtenPolicy,
} from './policy-fields.js';
import { problemsOf } from './problems.js';
import { FormProblem, Section } from './section.js';

const pathOf = (name: string): string => `autonomyPolicy.${name}`;
const PATHS = POLICY_FIELDS.map(({ name }) => pathOf(name));
const NAMING = {
  durations: new Set(
    POLICY_FIELDS.filter(({ kind }) => kind === 'duration').map(({ name }) => pathOf(name)),
  ),
  durationText,
};

/** How much agents may do without a person. What is left empty is as it is everywhere. */
export function ChannelPolicy({ channel }: { readonly channel: Channel }) {
  const stored = writtenPolicy(channel.autonomyPolicy);
  const [edited, setEdited] = useState<WrittenPolicy>({});
  const [unreadable, setUnreadable] = useState<Readonly<Record<string, string>>>({});
  const written = { ...stored, ...edited };
  const change = useChangeChannel(channel.channelId);
  const refused = problemsOf(change.error, PATHS, NAMING);
  const problems = { ...refused.fields, ...unreadable };
  const isChanged = POLICY_FIELDS.some(
    ({ name }) => (written[name] ?? '') !== (stored[name] ?? ''),
  );
  const submit = (event: SubmitEvent): void => {
    event.preventDefault();
    const wanted = policyChange(stored, written);
    setUnreadable(wanted.unreadable);
    change.reset();
    if (Object.keys(wanted.unreadable).length > 0) return;
    change.mutate({ autonomyPolicy: wanted.change }, { onSuccess: () => setEdited({}) });
  };
  return (
    <Section
      title="Autonomy"
      about="How much agents may do here without a person. An empty field has the default it shows."
    >
      <form onSubmit={submit} className="space-y-5" noValidate>
        {POLICY_GROUPS.map(({ title, fields }) => (
          <fieldset key={title}>
            <legend className="mb-2 text-xs font-semibold text-faint">{title}</legend>
            <div className="grid gap-x-5 gap-y-3 wide:grid-cols-2">
              {fields.map((field) => (
                <TextField
                  key={field.name}
                  label={field.label}
                  hint={field.hint}
                  problem={problems[pathOf(field.name)]}
                  placeholder={`${standardText(field)} (default)`}
                  value={written[field.name] ?? ''}
                  onChange={(value) => setEdited({ ...edited, [field.name]: value })}
                />
              ))}
            </div>
          </fieldset>
        ))}
        <FormProblem text={refused.rest} />
        <Button look="primary" type="submit" disabled={!isChanged || change.isPending}>
          Save policy
        </Button>
      </form>
    </Section>
  );
}
