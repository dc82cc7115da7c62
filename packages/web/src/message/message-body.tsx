import type { Message } from '@stoa/protocol';
import { Attachment } from './attachment.js';
import { changedDefinitionIn, DefinitionNotice } from './definition-notice.js';
import { Markdown } from './markdown.js';

/** What a message says; of one that was deleted, that it was. */
export function MessageBody({ message }: { readonly message: Message }) {
  if (message.deletedAt !== undefined) {
    return <p className="text-faint italic">This message was deleted.</p>;
  }
  const changed = changedDefinitionIn(message);
  if (changed) return <DefinitionNotice {...changed} />;
  return message.inputItems.map((item, index) =>
    item.type === 'text' ? (
      // Items have no names of their own and never change their order.
      <Markdown key={index} text={item.text} />
    ) : (
      <Attachment key={item.assetId} assetId={item.assetId} />
    ),
  );
}
