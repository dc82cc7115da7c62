import type { Credential, LoginCode, MintedToken, MintToken, Whoami } from '@stoa/protocol';
import type { Caller, CallOptions } from '../http/caller.js';

export interface TokensApi {
  list(options?: CallOptions): Promise<readonly Credential[]>;
  /** The only answer that holds the secret; a lost one is revoked and minted again. */
  mint(token: MintToken, options?: CallOptions): Promise<MintedToken>;
  revoke(credentialId: string, options?: CallOptions): Promise<void>;
}

export interface AccessApi {
  readonly tokens: TokensApi;
  whoami(options?: CallOptions): Promise<Whoami>;
  loginCode(options?: CallOptions): Promise<LoginCode>;
  logout(options?: CallOptions): Promise<void>;
}

export function accessApi(call: Caller): AccessApi {
  return {
    tokens: {
      list: async (options) => (await call('listTokens', { ...options })).tokens,
      mint: (body, options) => call('mintToken', { body, ...options }),
      revoke: (credentialId, options) =>
        call('revokeToken', { params: { credentialId }, ...options }),
    },
    whoami: (options) => call('whoami', { ...options }),
    loginCode: (options) => call('createLoginCode', { ...options }),
    logout: (options) => call('logout', { ...options }),
  };
}
