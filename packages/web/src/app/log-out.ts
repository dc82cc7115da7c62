import { client } from '../data/client.js';
import { forgetWriting } from './kept.js';

/** Ends the login of this browser, and takes with it what was written here and not sent. */
export async function logOut(): Promise<void> {
  await client.logout();
  forgetWriting();
  location.assign('/');
}
