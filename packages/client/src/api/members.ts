import type { Member, UpsertMember } from '@stoa/protocol';
import type { Caller, CallOptions } from '../http/caller.js';

export interface MembersApi {
  list(channelId: string, options?: CallOptions): Promise<readonly Member[]>;
  /** The caller joins, or changes how they are shown. */
  join(
    channelId: string,
    as?: Omit<UpsertMember, 'actorId'>,
    options?: CallOptions,
  ): Promise<Member>;
  upsert(channelId: string, member: UpsertMember, options?: CallOptions): Promise<Member>;
  remove(channelId: string, memberId: string, options?: CallOptions): Promise<void>;
}

export function membersApi(call: Caller): MembersApi {
  const upsert: MembersApi['upsert'] = (channelId, body, options) =>
    call('upsertMember', { params: { channelId }, body, ...options });
  return {
    list: async (channelId, options) =>
      (await call('listMembers', { params: { channelId }, ...options })).members,
    join: (channelId, as, options) => upsert(channelId, as ?? {}, options),
    upsert,
    remove: (channelId, memberId, options) =>
      call('removeMember', { params: { channelId, memberId }, ...options }),
  };
}
