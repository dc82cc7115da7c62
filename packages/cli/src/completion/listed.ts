/** What the running daemon can be asked for, by the name an argument has; each gives one id a line. */
export const LISTED = {
  channel: 'channel list --quiet',
  agent: 'agent list --quiet',
  session: 'session list --quiet',
  approval: 'approvals list --quiet',
  schedule: 'schedule list --quiet',
  project: 'project list --quiet',
} as const;

export type Listed = keyof typeof LISTED;

export function isListed(name: string): name is Listed {
  return Object.hasOwn(LISTED, name);
}
