import { z } from 'zod';

/** Caller metadata, kept as given. Size and key safety are checked where it is admitted. */
export const Metadata = z.record(z.string(), z.json());
export type Metadata = z.infer<typeof Metadata>;
