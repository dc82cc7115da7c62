import { client } from '../data/client.js';
import { forgetLoginKey } from '../data/login-key.js';
import { forgetWriting } from './kept.js';

/** Ends the login of this browser, and takes with it what was written here and not sent. */
export async function logOut(): Promise<void> {
  await client.logout();
  await forgetLoginKey();
  forgetWriting();
  location.assign('/');
}
