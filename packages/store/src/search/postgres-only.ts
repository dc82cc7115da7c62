import { type Verb, verb } from '../sql/verb.js';

/** A verb of tables that only PostgreSQL has. */
export const postgresOnly = <P extends object, R = never>(postgres: string): Verb<P, R> =>
  verb<P, R>({ sqlite: '', postgres });
