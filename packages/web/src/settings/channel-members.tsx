import type { Channel, Member, ParticipationMode, UpsertMember } from '@stoa/protocol';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { client } from '../data/client.js';
import { keys, queryClient, useMembers } from '../data/queries.js';
import { Button, IconButton } from '../ui/button.js';
import { INPUT } from '../ui/field.js';
import { Icon } from '../ui/icon.js';
import { toast } from '../ui/toast.js';
import { AddMember } from './add-member.js';
import { PARTICIPATION } from './participation.js';
import { Mark, Row, Rows, Section } from './section.js';

export function ChannelMembers({ channel }: { readonly channel: Channel }) {
  const { channelId } = channel;
  const { data: members, error } = useMembers(channelId);
  const [isAdding, setAdding] = useState(false);
  return (
    <Section
      title="Members"
      about="People and the sessions of agents that speak here."
      action={<Button onClick={() => setAdding(true)}>Add member</Button>}
    >
      <Rows label="Members" error={members ? null : error}>
        {members?.map((member) => (
          <MemberRow key={member.memberId} channel={channel} member={member} />
        ))}
      </Rows>
      {isAdding ? <AddMember channelId={channelId} onClose={() => setAdding(false)} /> : null}
    </Section>
  );
}

interface MemberRowProps {
  readonly channel: Channel;
  readonly member: Member;
}

function MemberRow({ channel, member }: MemberRowProps) {
  const { channelId } = channel;
  const { memberId, actorId, displayName, memberKind, role, expertiseTags, muted, mode } = member;
  const settle = {
    onSettled: () => queryClient.invalidateQueries({ queryKey: keys.members(channelId) }),
    onError: toast.problem,
  };
  const change = useMutation({
    mutationFn: (to: UpsertMember) => client.members.upsert(channelId, { actorId, ...to }),
    ...settle,
  });
  const remove = useMutation({
    mutationFn: () => client.members.remove(channelId, memberId),
    ...settle,
  });
  const [isAsked, setAsked] = useState(false);
  const about = [role, expertiseTags?.join(', ')].filter(Boolean).join(' · ');
  const isSession = memberKind === 'session';
  return (
    <Row
      title={displayName}
      mark={
        <>
          {isSession ? null : <Mark>person</Mark>}
          {muted === true ? <Mark look="warn">muted</Mark> : null}
          {mode === undefined || mode === 'plan' || mode === 'ask' ? null : (
            <Mark look="warn">mode {mode}</Mark>
          )}
        </>
      }
      about={about === '' ? memberId : about}
    >
      {isSession ? (
        <>
          <select
            aria-label={`When ${displayName} speaks`}
            className={`${INPUT} max-w-52`}
            value={member.participationMode ?? ''}
            disabled={change.isPending}
            onChange={({ target }) =>
              change.mutate({
                participationMode: target.value === '' ? null : (target.value as ParticipationMode),
              })
            }
          >
            <option value="">Channel default</option>
            {PARTICIPATION.map(({ value, label }) => (
              <option key={value} value={value}>
                {label}
              </option>
            ))}
          </select>
          <Button
            disabled={change.isPending}
            onClick={() => change.mutate({ muted: muted !== true })}
          >
            {muted === true ? 'Unmute' : 'Mute'}
          </Button>
        </>
      ) : null}
      {isAsked ? (
        <>
          <Button look="danger" disabled={remove.isPending} onClick={() => remove.mutate()}>
            Remove {displayName}
          </Button>
          <Button look="quiet" onClick={() => setAsked(false)}>
            Keep
          </Button>
        </>
      ) : (
        <IconButton label={`Remove ${displayName}…`} onClick={() => setAsked(true)}>
          <Icon name="close" />
        </IconButton>
      )}
    </Row>
  );
}
