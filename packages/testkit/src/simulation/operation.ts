import type { PostMessage } from '@stoa/protocol';

/** Everything a simulated client can ask for. */
export type Operation =
  | { readonly kind: 'create_channel'; readonly title: string; readonly channelId?: string }
  | { readonly kind: 'update_channel'; readonly channelId: string; readonly title: string }
  | { readonly kind: 'archive' | 'unarchive' | 'delete_channel'; readonly channelId: string }
  | { readonly kind: 'join'; readonly channelId: string; readonly actorId: string }
  | { readonly kind: 'leave'; readonly channelId: string; readonly memberId: string }
  | { readonly kind: 'post'; readonly channelId: string; readonly request: PostMessage }
  | {
      readonly kind: 'edit';
      readonly channelId: string;
      readonly messageId: string;
      readonly text: string;
    }
  | { readonly kind: 'delete_message'; readonly channelId: string; readonly messageId: string }
  | {
      readonly kind: 'react' | 'unreact';
      readonly channelId: string;
      readonly messageId: string;
      readonly emoji: string;
    }
  | { readonly kind: 'pin' | 'unpin'; readonly channelId: string; readonly assetId: string }
  | { readonly kind: 'upload'; readonly text: string }
  | { readonly kind: 'delete_asset'; readonly assetId: string }
  | { readonly kind: 'move_cursor'; readonly channelId: string; readonly readSeq: number }
  | { readonly kind: 'mint'; readonly humanId: string; readonly name: string }
  | { readonly kind: 'revoke'; readonly credentialId: string }
  | { readonly kind: 'list_messages' | 'get_channel'; readonly channelId: string }
  | { readonly kind: 'list_unread' }
  | { readonly kind: 'search'; readonly word: string };

/** One thing a client wants, however often it has to ask. */
export interface Request {
  readonly id: number;
  readonly client: string;
  readonly secret: string;
  readonly operation: Operation;
  readonly key: string | undefined;
  /** Text that only this operation writes. */
  readonly marker: string;
}

export function describe({ id, client, operation, key }: Request): string {
  const { kind, ...fields } = operation;
  return `#${id} ${client} ${kind} ${JSON.stringify(fields)}${key === undefined ? '' : ` key=${key}`}`;
}

const inline = (
  items: PostMessage['inputItems'],
): readonly { data: string; name?: string | undefined }[] =>
  (items ?? []).filter((item) => item.type === 'inline_asset');

/** The assets an operation brings along, in the order they are stored. */
export function assetsBrought(operation: Operation): readonly Uint8Array[] {
  if (operation.kind === 'upload') return [Buffer.from(operation.text)];
  if (operation.kind !== 'post') return [];
  return inline(operation.request.inputItems).map(({ data }) => Buffer.from(data, 'base64'));
}
