import type { ReaderTarget } from './web-socket-reader.js';

/** What a benchmark asks of the process of the readers. */
export type ReaderRequest =
  /** Opens readers; answered with the number of their group. */
  | { readonly kind: 'open'; readonly target: ReaderTarget; readonly count: number }
  /** Answered, once all of a group have had so many frames, with the time of each reader's last. */
  | { readonly kind: 'arrivals'; readonly group: number; readonly frames: number }
  /** Opens readers that read nothing; answered with their count. */
  | { readonly kind: 'stall'; readonly target: ReaderTarget; readonly count: number };
