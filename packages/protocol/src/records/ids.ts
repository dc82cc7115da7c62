import { z } from 'zod';
import { LIMITS } from '../limits.js';

/** Validation errors show the description to the caller. */
export const madeId = (prefix: string, what: string) =>
  z
    .string()
    .regex(new RegExp(`^${prefix}_[0-9a-z]{26}$`))
    .meta({ description: `the id of ${what}: ${prefix}_ and 26 letters and digits` });
export const chosenId = (pattern: RegExp, what: string) =>
  z
    .string()
    .regex(pattern)
    .meta({
      description: `the id of ${what}: lower case letters and digits, with - . _ between them`,
    });

/** Ids that Stoa creates have a prefix and sort by time; callers may choose channel ids. */
export const ChannelId = chosenId(/^[a-z0-9](?:[a-z0-9._-]{0,62}[a-z0-9])?$/, 'a channel');
export const MessageId = madeId('msg', 'a message');
export const AssetId = madeId('ast', 'an asset');
export const CredentialId = madeId('crd', 'a token');
export const SessionId = madeId('ses', 'a session');
export const RunId = madeId('run', 'a run');
export const InboxItemId = madeId('itm', 'an inbox item');
export const ApprovalId = madeId('apr', 'an approval');
export const ScheduleId = madeId('sch', 'a schedule');
export const BoardId = madeId('brd', 'a board');
export const TaskId = madeId('tsk', 'a background task');
/** Project tasks of older data have ids with `tsk_`, which stay valid: messages and people refer to them. */
export const ProjectTaskId = z
  .string()
  .regex(/^(?:ptk|tsk)_[0-9a-z]{26}$/)
  .meta({ description: 'the id of a project task: ptk_ (older: tsk_) and 26 letters and digits' });
export const TurnId = madeId('trn', 'a turn');
export const LeaseId = madeId('lse', 'a lease');
export const StimulusId = madeId('stm', 'a stimulus');
export const ObservationSourceId = madeId('src', 'a source');
export const ObservationId = madeId('obs', 'an observation');
export const HumanId = chosenId(/^[a-z0-9](?:[a-z0-9._-]{0,62}[a-z0-9])?$/, 'a person');
export const MemberId = z
  .string()
  .regex(/^[A-Za-z0-9](?:[A-Za-z0-9:._-]{0,126}[A-Za-z0-9])?$/)
  .meta({ description: 'the id of a member: letters and digits, with : - . _ between them' });
export const ActorId = z
  .string()
  .regex(/^(?:human|session|adapter):[A-Za-z0-9._-]{1,128}$|^system$/);
export const EpochMs = z.int().min(0);
export const Seq = z.int().min(0);

/** How many records a page of a list has. */
export const PageSize = z.int().min(1).max(LIMITS.pageSize).default(50);

/** Metadata of the caller, stored unchanged. Its size and keys are checked when it is accepted. */
export const Metadata = z.record(z.string(), z.json());
export type Metadata = z.infer<typeof Metadata>;
