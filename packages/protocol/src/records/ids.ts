import { z } from 'zod';

/** Ids are prefixed and time-sortable where Stoa makes them; callers may choose channel ids. */
export const ChannelId = z.string().regex(/^[a-z0-9](?:[a-z0-9._-]{0,62}[a-z0-9])?$/);
export const MessageId = z.string().regex(/^msg_[0-9a-z]{26}$/);
export const AssetId = z.string().regex(/^ast_[0-9a-z]{26}$/);
export const CredentialId = z.string().regex(/^crd_[0-9a-z]{26}$/);
export const SessionId = z.string().regex(/^ses_[0-9a-z]{26}$/);
export const RunId = z.string().regex(/^run_[0-9a-z]{26}$/);
export const InboxItemId = z.string().regex(/^itm_[0-9a-z]{26}$/);
export const ApprovalId = z.string().regex(/^apr_[0-9a-z]{26}$/);
export const ScheduleId = z.string().regex(/^sch_[0-9a-z]{26}$/);
export const BoardId = z.string().regex(/^brd_[0-9a-z]{26}$/);
export const TaskId = z.string().regex(/^tsk_[0-9a-z]{26}$/);
export const TurnId = z.string().regex(/^trn_[0-9a-z]{26}$/);
export const LeaseId = z.string().regex(/^lse_[0-9a-z]{26}$/);
export const StimulusId = z.string().regex(/^stm_[0-9a-z]{26}$/);
export const ObservationSourceId = z.string().regex(/^src_[0-9a-z]{26}$/);
export const ObservationId = z.string().regex(/^obs_[0-9a-z]{26}$/);
export const HumanId = z.string().regex(/^[a-z0-9](?:[a-z0-9._-]{0,62}[a-z0-9])?$/);
export const MemberId = z.string().regex(/^[A-Za-z0-9](?:[A-Za-z0-9:._-]{0,126}[A-Za-z0-9])?$/);
export const ActorId = z
  .string()
  .regex(/^(?:human|session|adapter):[A-Za-z0-9._-]{1,128}$|^system$/);
export const EpochMs = z.int().min(0);
export const Seq = z.int().min(0);
