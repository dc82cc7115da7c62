/** A channel whose row is locked. */
export interface LockedChannel {
  readonly topicId: number;
  readonly channelId: string;
}
