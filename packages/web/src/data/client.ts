import { createClient } from '@stoa/client';

/** The only way to the daemon. The cookie of the login says who is calling. */
export const client = createClient({
  baseUrl: location.origin,
  unreachableText: 'Stoa does not answer: try again when it is back.',
});
