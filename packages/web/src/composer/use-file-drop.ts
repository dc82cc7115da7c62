import { type RefObject, useEffect, useEffectEvent, useState } from 'react';

/** Takes files that are dropped anywhere in the column around an element; tells whether some are held over it. */
export function useFileDrop(
  inside: RefObject<HTMLElement | null>,
  onDrop: (files: FileList) => void,
): boolean {
  const [isOver, setOver] = useState(false);
  const drop = useEffectEvent(onDrop);
  useEffect(() => {
    const column = inside.current?.closest('main, aside');
    if (!(column instanceof HTMLElement)) return undefined;
    const over = (event: DragEvent): void => {
      if (event.dataTransfer?.types.includes('Files') !== true) return;
      // Without it the browser would leave the page for the file.
      event.preventDefault();
      setOver(true);
    };
    const left = (event: DragEvent): void => {
      if (!(event.relatedTarget instanceof Node && column.contains(event.relatedTarget))) {
        setOver(false);
      }
    };
    const dropped = (event: DragEvent): void => {
      setOver(false);
      if (!event.dataTransfer || event.dataTransfer.files.length === 0) return;
      event.preventDefault();
      drop(event.dataTransfer.files);
    };
    column.addEventListener('dragover', over);
    column.addEventListener('dragleave', left);
    column.addEventListener('drop', dropped);
    return () => {
      column.removeEventListener('dragover', over);
      column.removeEventListener('dragleave', left);
      column.removeEventListener('drop', dropped);
    };
  }, [inside]);
  return isOver;
}
