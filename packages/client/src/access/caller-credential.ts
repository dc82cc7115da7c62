/** What proves the caller to the daemon, and where it goes in a request. */
export interface CallerCredential {
  readonly header: (secret: string) => readonly [name: string, value: string];
  /**
   * The secret for the next request, after the daemon has proven itself where that is asked for. Undefined for a caller
   * without one. Rejects with a `StoaProblem` or `ConnectionLost`, and then nothing secret was sent.
   */
  secret(): Promise<string | undefined>;
  /** Who answers next may be somebody else: before anything is sent again, the daemon has to prove itself. */
  doubt(): void;
  /** The daemon refused this secret. True when there may be another one by now. */
  refused(secret: string): boolean;
}

const bearer = (token: string): readonly [string, string] => ['authorization', `Bearer ${token}`];

/** A token, or none, that is sent to whoever answers. */
export function plainToken(token: string | undefined): CallerCredential {
  return {
    header: bearer,
    secret: () => Promise.resolve(token),
    doubt: () => undefined,
    refused: () => false,
  };
}

/** A token that is sent only to a server that proves to know it. */
export function provenToken(token: string, prove: () => Promise<void>): CallerCredential {
  let proven: Promise<void> | undefined;
  return {
    header: bearer,
    async secret() {
      proven ??= prove();
      try {
        await proven;
      } catch (error) {
        proven = undefined;
        throw error;
      }
      return token;
    },
    doubt() {
      proven = undefined;
    },
    refused: () => false,
  };
}
