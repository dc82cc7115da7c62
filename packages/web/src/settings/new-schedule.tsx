import type { Cadence, Misfire, Overlap } from '@stoa/protocol';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { client } from '../data/client.js';
import { keys, queryClient } from '../data/queries.js';
import { cadenceFrom, type WrittenCadence } from './cadence.js';
import { durationText } from './durations.js';
import { SelectField, TextAreaField, TextField } from './fields.js';
import { FormDialog } from './form-dialog.js';
import { emptyOf, type FieldProblems, problemsOf } from './problems.js';
import { useSessionFor, useWorkers } from './workers.js';

export const SCHEDULES_KEY = ['schedules'] as const;

const FIELDS = [
  'sessionId',
  'title',
  'text',
  'cadence.everyMs',
  'cadence.expression',
  'cadence.timeZone',
  'cadence.at',
];

const CADENCES = [
  { value: 'interval', label: 'At an interval' },
  { value: 'cron', label: 'By a cron expression' },
  { value: 'once', label: 'Once' },
];
const OVERLAPS = [
  { value: 'skip', label: 'Skip the new run' },
  { value: 'queue_one', label: 'Queue one run' },
  { value: 'parallel', label: 'Start in parallel' },
];
const MISFIRES = [
  { value: 'coalesce_once', label: 'Run once' },
  { value: 'skip_missed', label: 'Skip' },
];

export function NewSchedule({ onClose }: { readonly onClose: () => void }) {
  const workers = useWorkers();
  const sessionFor = useSessionFor();
  const [who, setWho] = useState<string>();
  const chosen = who ?? workers.first ?? '';
  const [title, setTitle] = useState('');
  const [text, setText] = useState('');
  const [cadence, setCadence] = useState<WrittenCadence>(BEGIN);
  const [overlap, setOverlap] = useState<string>('skip');
  const [misfire, setMisfire] = useState<string>('coalesce_once');
  const [unreadable, setUnreadable] = useState<FieldProblems>({});
  const create = useMutation({
    mutationFn: (read: Cadence) =>
      sessionFor.use(chosen, title, (sessionId) =>
        client.schedules.create({
          sessionId,
          title,
          cadence: read,
          overlap: overlap as Overlap,
          misfire: misfire as Misfire,
          text,
        }),
      ),
    onSuccess: async () => {
      void queryClient.invalidateQueries({ queryKey: keys.sessions });
      await queryClient.invalidateQueries({ queryKey: SCHEDULES_KEY });
      onClose();
    },
  });
  const refused = problemsOf(create.error, FIELDS, {
    byCode: {
      invalid_schedule: cadence.kind === 'cron' ? 'cadence.expression' : 'cadence.at',
      unknown_agent: 'sessionId',
      agent_broken: 'sessionId',
    },
    durations: new Set(['cadence.everyMs']),
    durationText,
  });
  const problems = { ...refused.fields, ...unreadable };
  const submit = (): void => {
    create.reset();
    const read = cadenceFrom(cadence);
    const missing = emptyOf({ title, text });
    setUnreadable({ ...missing, ...('unreadable' in read ? read.unreadable : {}) });
    if ('cadence' in read && Object.keys(missing).length === 0) create.mutate(read.cadence);
  };
  return (
    <FormDialog
      title="New schedule"
      deed="Create"
      isDisabled={create.isPending || chosen === ''}
      problems={{ ...refused, fields: problems }}
      onSubmit={submit}
      onClose={onClose}
    >
      <SelectField
        label="Session"
        value={chosen}
        onChange={setWho}
        choices={workers.choices}
        problem={problems['sessionId']}
      />
      <TextField label="Title" value={title} onChange={setTitle} problem={problems['title']} />
      <TextAreaField
        label="What to do"
        hint="The session receives it as a message from you."
        value={text}
        onChange={setText}
        problem={problems['text']}
      />
      <SelectField
        label="When"
        value={cadence.kind}
        onChange={(kind) => setCadence({ ...cadence, kind: kind as Cadence['kind'] })}
        choices={CADENCES}
      />
      <CadenceFields cadence={cadence} onChange={setCadence} problems={problems} />
      {cadence.kind === 'once' ? null : (
        <div className="grid gap-3 wide:grid-cols-2">
          <SelectField
            label="If the previous run is still active"
            value={overlap}
            onChange={setOverlap}
            choices={OVERLAPS}
          />
          <SelectField
            label="Missed runs"
            value={misfire}
            onChange={setMisfire}
            choices={MISFIRES}
          />
        </div>
      )}
    </FormDialog>
  );
}

const BEGIN: WrittenCadence = {
  kind: 'interval',
  every: '1h',
  expression: '0 9 * * 1-5',
  timeZone: Intl.DateTimeFormat().resolvedOptions().timeZone,
  at: '',
};

interface CadenceFieldsProps {
  readonly cadence: WrittenCadence;
  readonly onChange: (cadence: WrittenCadence) => void;
  readonly problems: FieldProblems;
}

function CadenceFields({ cadence, onChange, problems }: CadenceFieldsProps) {
  const field = (name: 'every' | 'expression' | 'timeZone' | 'at') => ({
    value: cadence[name],
    onChange: (value: string) => onChange({ ...cadence, [name]: value }),
  });
  switch (cadence.kind) {
    case 'interval':
      return (
        <TextField
          label="Every"
          hint="Such as 15m or 1h 30m."
          {...field('every')}
          problem={problems['cadence.everyMs']}
        />
      );
    case 'cron':
      return (
        <div className="grid gap-3 wide:grid-cols-2">
          <TextField
            label="Cron expression"
            hint="Minute, hour, day, month, weekday."
            isCode
            {...field('expression')}
            problem={problems['cadence.expression']}
          />
          <TextField
            label="Time zone"
            {...field('timeZone')}
            problem={problems['cadence.timeZone']}
          />
        </div>
      );
    case 'once':
      return (
        <TextField
          label="At"
          type="datetime-local"
          {...field('at')}
          problem={problems['cadence.at']}
        />
      );
  }
}
