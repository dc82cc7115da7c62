import type { Channel } from '@stoa/protocol';
import { useState } from 'react';
import { useUnsaved } from '../app/leaving.js';
import { Button } from '../ui/button.js';
import { useChangeChannel } from './change-channel.js';
import { durationText } from './durations.js';
import { TextField } from './fields.js';
import { Form, FormSays } from './form.js';
import {
  POLICY_FIELDS,
  POLICY_GROUPS,
  policyChange,
  standardText,
  type WrittenPolicy,
  writtenPolicy,
} from './policy-fields.js';
import { type FieldProblems, problemsOf } from './problems.js';
import { Section } from './section.js';

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
  const [unreadable, setUnreadable] = useState<FieldProblems>({});
  const written = { ...stored, ...edited };
  const change = useChangeChannel(channel.channelId);
  const refused = problemsOf(change.error, PATHS, NAMING);
  const problems = { ...refused.fields, ...unreadable };
  const isChanged = POLICY_FIELDS.some(
    ({ name }) => (written[name] ?? '') !== (stored[name] ?? ''),
  );
  useUnsaved(isChanged);
  const all = { ...refused, fields: problems };
  const submit = (): void => {
    const wanted = policyChange(stored, written);
    setUnreadable(wanted.unreadable);
    change.reset();
    if (Object.keys(wanted.unreadable).length > 0) return;
    change.mutate({ autonomyPolicy: wanted.change }, { onSuccess: () => setEdited({}) });
  };
  return (
    <Section
      title="Autonomy"
      about="How much agents may do here without a person. An empty field uses the default that it shows."
    >
      <Form
        problems={all}
        isDisabled={!isChanged || change.isPending}
        onSubmit={submit}
        className="space-y-5"
      >
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
        <div className="flex flex-wrap items-center gap-3">
          <Button look="primary" type="submit" disabled={!isChanged || change.isPending}>
            Save policy
          </Button>
          <FormSays problems={all} />
        </div>
      </Form>
    </Section>
  );
}
