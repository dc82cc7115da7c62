import { useState } from 'react';
import { createPortal } from 'react-dom';
import { sizeOf } from '../composer/size-of.js';
import { Dialog } from '../ui/dialog.js';

interface PictureProps {
  readonly url: string;
  readonly name: string;
  /** What it is called when it is downloaded. */
  readonly fileName: string;
  readonly bytes: number;
}

/** Small among the messages; as large as there is room for who wants to see it. */
export function Picture({ url, name, fileName, bytes }: PictureProps) {
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <button
        type="button"
        aria-haspopup="dialog"
        title={`${name}, ${sizeOf(bytes)}: show full size`}
        onClick={() => setOpen(true)}
        className="my-1 block w-fit max-w-full cursor-zoom-in"
      >
        <img
          src={url}
          alt={name}
          className="max-h-80 min-h-8 max-w-full rounded-md border border-line object-contain"
        />
      </button>
      {isOpen
        ? createPortal(
            <Dialog
              title={name}
              wide
              onClose={() => setOpen(false)}
              footer={
                <a
                  href={url}
                  download={fileName}
                  className="inline-flex h-8 items-center rounded-md border border-line bg-raised px-3 text-[13px] font-medium hover:bg-hover"
                >
                  Download, {sizeOf(bytes)}
                </a>
              }
            >
              <img src={url} alt={name} className="mx-auto max-h-[calc(85dvh-8.5rem)] max-w-full" />
            </Dialog>,
            document.body,
          )
        : null}
    </>
  );
}
