/** Proves the caller to the daemon. */
export interface CallerCredential {
  readonly header: (secret: string) => readonly [name: string, value: string];
  /**
   * The secret for the next request, after the daemon has proven itself if that is required. Undefined for a caller
   * without one. If it rejects, with a `StoaProblem` or `ConnectionLost`, nothing secret was sent.
   */
  secret(): Promise<string | undefined>;
  /** Another server may answer next: the daemon must prove itself before anything is sent again. */
  doubt(): void;
  /** The daemon refused this secret. Returns true if there may be another one now. */
  refused(secret: string): boolean;
}

const bearer = (token: string): readonly [string, string] => ['authorization', `Bearer ${token}`];

/** A token, or none, that is sent without a proof of the server. */
export function plainToken(token: string | undefined): CallerCredential {
  return {
    header: bearer,
    secret: () => Promise.resolve(token),
    doubt: () => undefined,
    refused: () => false,
  };
}

/** A token that is sent only to a server that proves that it knows it. */
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
