import { type RefObject, useEffect } from 'react';
import { go } from '../app/router.js';
import { pathTo } from '../app/routes.js';

let wanted: string | undefined;

/** Goes to a channel to write in it. */
export function writeIn(channelId: string): void {
  wanted = channelId;
  go(pathTo.channelPage(channelId));
}

/** Takes the focus where somebody came to write; where a channel is only looked at, nothing does. */
export function useWriteAsked(place: string, around: RefObject<HTMLElement | null>): void {
  useEffect(() => {
    const area = around.current?.querySelector('textarea');
    if (wanted !== place || !area) return;
    wanted = undefined;
    area.focus();
  }, [place, around]);
}
