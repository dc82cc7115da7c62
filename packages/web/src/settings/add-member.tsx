import type { Member, ParticipationMode } from '@stoa/protocol';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { client } from '../data/client.js';
import { keys, queryClient } from '../data/queries.js';
import { toast } from '../ui/toast.js';
import { SelectField, TextField } from './fields.js';
import { FormDialog } from './form-dialog.js';
import { PARTICIPATION } from './participation.js';
import { problemsOf } from './problems.js';
import { useSessionFor, useWorkers } from './workers.js';

const PERSON = 'person';
const FIELDS = ['actorId', 'displayName', 'role', 'expertiseTags', 'participationMode'];

interface AddMemberProps {
  readonly channelId: string;
  readonly onClose: () => void;
}

/** A person by their id, or an agent: with a session of its own, or one that is at work already. */
export function AddMember({ channelId, onClose }: AddMemberProps) {
  const workers = useWorkers();
  const sessionFor = useSessionFor();
  const [who, setWho] = useState<string>();
  const chosen = who ?? workers.first ?? PERSON;
  const [humanId, setHumanId] = useState('');
  const [displayName, setDisplayName] = useState('');
  const [role, setRole] = useState('');
  const [tags, setTags] = useState('');
  const [mode, setMode] = useState('');
  const isPerson = chosen === PERSON;
  const add = useMutation({
    mutationFn: () => {
      const expertiseTags = tags
        .split(',')
        .map((tag) => tag.trim())
        .filter((tag) => tag !== '');
      const addAs = (actorId: string): Promise<Member> =>
        client.members.upsert(channelId, {
          actorId,
          ...(displayName === '' ? {} : { displayName }),
          ...(role === '' ? {} : { role }),
          ...(isPerson || expertiseTags.length === 0 ? {} : { expertiseTags }),
          ...(isPerson || mode === '' ? {} : { participationMode: mode as ParticipationMode }),
        });
      if (isPerson) return addAs(`human:${humanId.trim()}`);
      return sessionFor.use(chosen, channelId, (id) => addAs(`session:${id}`));
    },
    onSuccess: async ({ warnings = [] }) => {
      for (const warning of warnings) toast.tell(warning);
      await queryClient.invalidateQueries({ queryKey: keys.members(channelId) });
      void queryClient.invalidateQueries({ queryKey: keys.sessions });
      onClose();
    },
  });
  const problems = problemsOf(add.error, FIELDS, {
    byCode: { unknown_member: 'actorId', agent_broken: 'actorId', unknown_agent: 'actorId' },
  });
  return (
    <FormDialog
      title="Add member"
      deed="Add"
      isDisabled={add.isPending}
      problems={problems}
      onSubmit={() => add.mutate()}
      onClose={onClose}
    >
      <SelectField
        label="Who"
        value={chosen}
        onChange={setWho}
        problem={isPerson ? undefined : problems.fields['actorId']}
        choices={[{ value: PERSON, label: 'A person' }, ...workers.choices]}
      />
      {isPerson ? (
        <TextField
          label="Id of the person"
          hint="Everybody with an access token has an id."
          isCode
          value={humanId}
          onChange={setHumanId}
          problem={problems.fields['actorId']}
        />
      ) : null}
      <TextField
        label="Name here"
        placeholder="their usual name"
        value={displayName}
        onChange={setDisplayName}
        problem={problems.fields['displayName']}
      />
      <TextField label="Role" value={role} onChange={setRole} problem={problems.fields['role']} />
      {isPerson ? null : (
        <>
          <TextField
            label="Expertise"
            hint="Separate tags with commas. Agents whose tags match a message go first."
            value={tags}
            onChange={setTags}
            problem={problems.fields['expertiseTags']}
          />
          <SelectField
            label="Speaks"
            value={mode}
            onChange={setMode}
            problem={problems.fields['participationMode']}
            choices={[{ value: '', label: 'Channel default' }, ...PARTICIPATION]}
          />
        </>
      )}
    </FormDialog>
  );
}
