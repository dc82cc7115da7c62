import type { Channel, ParticipationMode } from '@stoa/protocol';
import { useState } from 'react';
import { useUnsaved } from '../app/leaving.js';
import { Button } from '../ui/button.js';
import { useChangeChannel } from './change-channel.js';
import { SelectField, TextAreaField, TextField } from './fields.js';
import { Form, FormSays } from './form.js';
import { PARTICIPATION } from './participation.js';
import { problemsOf } from './problems.js';
import { Section } from './section.js';

const FIELDS = ['title', 'purpose', 'description', 'defaultParticipationMode'] as const;
type Written = Readonly<Record<(typeof FIELDS)[number], string>>;

const writtenOf = (channel: Channel): Written => ({
  title: channel.title,
  purpose: channel.purpose ?? '',
  description: channel.description ?? '',
  defaultParticipationMode: channel.defaultParticipationMode,
});

export function ChannelGeneral({ channel }: { readonly channel: Channel }) {
  const stored = writtenOf(channel);
  const [edited, setEdited] = useState<Partial<Written>>({});
  const written = { ...stored, ...edited };
  const change = useChangeChannel(channel.channelId);
  const problems = problemsOf(change.error, FIELDS);
  const isChanged = FIELDS.some((field) => written[field] !== stored[field]);
  const field = (name: (typeof FIELDS)[number]) => ({
    value: written[name],
    problem: problems.fields[name],
    onChange: (value: string) => setEdited({ ...edited, [name]: value }),
  });
  useUnsaved(isChanged);
  const submit = (): void => {
    const { title, purpose, description, defaultParticipationMode } = written;
    change.mutate(
      {
        ...(title === stored.title ? {} : { title }),
        ...(purpose === stored.purpose ? {} : { purpose: purpose === '' ? null : purpose }),
        ...(description === stored.description
          ? {}
          : { description: description === '' ? null : description }),
        ...(defaultParticipationMode === stored.defaultParticipationMode
          ? {}
          : { defaultParticipationMode: defaultParticipationMode as ParticipationMode }),
      },
      { onSuccess: () => setEdited({}) },
    );
  };
  return (
    <Section
      title="General"
      about={
        <>
          Its id is <code className="font-mono">{channel.channelId}</code>.
        </>
      }
    >
      <Form
        problems={problems}
        isDisabled={!isChanged || change.isPending}
        onSubmit={submit}
        className="space-y-4"
      >
        <TextField label="Title" {...field('title')} />
        <TextField
          label="Purpose"
          hint="Agents receive it with every turn."
          {...field('purpose')}
        />
        <TextAreaField
          label="Description"
          hint="What else agents should know here."
          {...field('description')}
        />
        <SelectField
          label="Agents speak"
          hint="Unless a member has its own setting."
          choices={PARTICIPATION}
          {...field('defaultParticipationMode')}
        />
        <div className="flex flex-wrap items-center gap-3">
          <Button look="primary" type="submit" disabled={!isChanged || change.isPending}>
            Save
          </Button>
          <FormSays problems={problems} />
        </div>
      </Form>
    </Section>
  );
}
