import { browserLogin, createClient } from '@stoa/client';
import { serverAnswered } from './foreign-server.js';
import { loginKey } from './login-key.js';

/** The only way to the daemon. The login of this browser says who is calling, after the daemon has proven itself. */
export const client = createClient({
  baseUrl: location.origin,
  credential: browserLogin({
    baseUrl: location.origin,
    key: loginKey,
    onOutcome: serverAnswered,
  }),
  unreachableText: 'Stoa does not answer: try again when it is back.',
});
