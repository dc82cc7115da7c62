/** Where one can be. A place that is added here gets its screen in screens.tsx and its page in the daemon's table. */
export type Place =
  | { readonly name: 'home' }
  | {
      readonly name: 'channel';
      readonly channelId: string;
      /** A message that is pointed at: its thread is open. */
      readonly messageId: string | undefined;
    }
  | { readonly name: 'channel-settings'; readonly channelId: string }
  | { readonly name: 'timeline'; readonly channelId: string }
  | { readonly name: 'session'; readonly sessionId: string }
  | { readonly name: 'settings'; readonly section: string | undefined }
  | { readonly name: 'usage' }
  | { readonly name: 'nowhere' };

export function placeOf(path: string): Place {
  const [first, second, third, fourth, ...more] = path.split('/').filter((part) => part !== '');
  if (more.length > 0) return { name: 'nowhere' };
  if (first === undefined) return { name: 'home' };
  if (first === 'c' && second !== undefined) {
    if (third === undefined) return { name: 'channel', channelId: second, messageId: undefined };
    if (third === 'm' && fourth !== undefined) {
      return { name: 'channel', channelId: second, messageId: fourth };
    }
    if (fourth === undefined && third === 'settings') {
      return { name: 'channel-settings', channelId: second };
    }
    if (fourth === undefined && third === 'timeline') {
      return { name: 'timeline', channelId: second };
    }
    return { name: 'nowhere' };
  }
  if (third !== undefined) return { name: 'nowhere' };
  if (first === 's' && second !== undefined) return { name: 'session', sessionId: second };
  if (first === 'settings') return { name: 'settings', section: second };
  if (first === 'usage' && second === undefined) return { name: 'usage' };
  return { name: 'nowhere' };
}

export const pathTo = {
  channel: (channelId: string): string => `/c/${channelId}`,
  message: (channelId: string, messageId: string): string => `/c/${channelId}/m/${messageId}`,
  channelSettings: (channelId: string): string => `/c/${channelId}/settings`,
  timeline: (channelId: string): string => `/c/${channelId}/timeline`,
  session: (sessionId: string): string => `/s/${sessionId}`,
  settings: (section?: string): string =>
    section === undefined ? '/settings' : `/settings/${section}`,
  usage: (): string => '/usage',
} as const;
