import type { Credential, LoginCode, MintedToken, MintToken, Whoami } from '@stoa/protocol';
import type { Caller, CallOptions } from '../http/caller.js';

export interface TokensApi {
  list(options?: CallOptions): Promise<readonly Credential[]>;
  /** The only answer that holds the secret; a lost one is revoked and minted again. */
  mint(token: MintToken, options?: FreshCallOptions): Promise<MintedToken>;
  revoke(credentialId: string, options?: FreshCallOptions): Promise<void>;
}

export interface FreshCallOptions extends CallOptions {
  /** One of the last ten minutes; a browser login needs it, and it is used up. */
  readonly loginCode?: string | undefined;
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
      mint: (body, options) => call('mintToken', { body, ...fresh(options) }),
      revoke: (credentialId, options) =>
        call('revokeToken', { params: { credentialId }, ...fresh(options) }),
    },
    whoami: (options) => call('whoami', { ...options }),
    loginCode: (options) => call('createLoginCode', { ...options }),
    logout: (options) => call('logout', { ...options }),
  };
}

function fresh({ loginCode, ...options }: FreshCallOptions = {}) {
  return loginCode === undefined
    ? options
    : { ...options, headers: { 'stoa-login-code': loginCode } };
}
