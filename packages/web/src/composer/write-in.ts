import { type RefObject, useEffect } from 'react';
import { go } from '../app/router.js';
import { pathTo } from '../app/routes.js';

let wanted: string | undefined;

/** Goes to a channel to write in it. */
export function writeIn(channelId: string): void {
  wanted = channelId;
  go(pathTo.channelPage(channelId));
}

/** Focuses the message box after `writeIn`; opening a channel alone does not move the focus. */
export function useWriteAsked(channelId: string, around: RefObject<HTMLElement | null>): void {
  useEffect(() => {
    const area = around.current?.querySelector('textarea');
    if (wanted !== channelId || !area) return;
    wanted = undefined;
    area.focus();
  }, [channelId, around]);
}
