import { LIMITS } from '@stoa/protocol/constants';
import { IconButton } from '../ui/button.js';
import { Icon } from '../ui/icon.js';
import { sizeOf } from './size-of.js';
import type { Attached, Attachments } from './use-attachments.js';

/** What goes with the message that is being written. */
export function AttachmentStrip({ attached, remove }: Attachments) {
  if (attached.length === 0) return null;
  return (
    <div className="border-b border-line px-2 pt-2 pb-1.5">
      <ul aria-label="Attached" className="flex flex-wrap gap-2">
        {attached.map((each) => (
          <li
            key={each.key}
            className={`flex max-w-full items-center gap-2 rounded-md border px-2 py-1 text-xs ${each.state === 'failed' ? 'border-danger' : 'border-line'}`}
          >
            {each.preview === undefined ? (
              <Icon name="file" className="text-faint" />
            ) : (
              <img src={each.preview} alt="" className="size-10 rounded object-cover" />
            )}
            <span className="min-w-0">
              <span className="block truncate">{each.name}</span>
              <State {...each} />
            </span>
            <IconButton label={`Remove ${each.name}`} onClick={() => remove(each.key)}>
              <Icon name="close" />
            </IconButton>
          </li>
        ))}
      </ul>
      <p className="mt-1 text-xs text-faint">Up to {sizeOf(LIMITS.assetBytes)} each.</p>
    </div>
  );
}

function State({ bytes, state, problem }: Attached) {
  if (state === 'failed') {
    return (
      <span role="alert" className="block text-danger">
        {problem}
      </span>
    );
  }
  if (state === 'uploading') {
    return (
      <span className="flex items-center gap-1.5 text-faint">
        <progress aria-label="Uploading" className="h-1 w-16 accent-accent" />
        {sizeOf(bytes)}
      </span>
    );
  }
  return <span className="block text-faint">{sizeOf(bytes)}</span>;
}
