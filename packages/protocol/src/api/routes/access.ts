import { z } from 'zod';
import { LoginCode, MintedToken, MintToken } from '../../records/credential.js';
import { CredentialId } from '../../records/ids.js';
import { Whoami } from '../../records/principal.js';
import { AccessToken, DaemonProof, GrantAccess, ProveDaemon } from '../../records/proof.js';
import { ANYONE, OWNER, PEOPLE } from '../access-table.js';
import { CredentialList } from '../pages.js';
import type { Route } from '../route.js';

/** Who is calling, and with what. */
export const ACCESS_ROUTES = {
  whoami: {
    method: 'GET',
    path: '/v1/whoami',
    tag: 'access',
    summary: 'Who the credential proves the caller to be',
    access: PEOPLE,
    answer: Whoami,
    status: 200,
  },
  logout: {
    method: 'POST',
    path: '/v1/logout',
    tag: 'access',
    summary: 'Revoke the credential of this request (browser credentials only)',
    access: PEOPLE,
    status: 204,
  },
  proveDaemon: {
    method: 'POST',
    path: '/v1/daemon-proofs',
    tag: 'access',
    summary: 'Let the daemon prove that it knows a key, before anything secret is sent to it',
    access: ANYONE,
    body: ProveDaemon,
    answer: DaemonProof,
    status: 200,
  },
  grantAccess: {
    method: 'POST',
    path: '/v1/access-tokens',
    tag: 'access',
    summary: 'Prove the key of a browser login and get an access token for a few minutes',
    access: ANYONE,
    body: GrantAccess,
    answer: AccessToken,
    status: 201,
  },
  createLoginCode: {
    method: 'POST',
    path: '/v1/login-codes',
    tag: 'access',
    summary: 'Make a one-time login code for a browser; it expires in ten minutes',
    access: PEOPLE,
    freshLogin: true,
    answer: LoginCode,
    status: 201,
  },
  listTokens: {
    method: 'GET',
    path: '/v1/tokens',
    tag: 'access',
    summary: 'List credentials without their secrets',
    access: OWNER,
    answer: CredentialList,
    status: 200,
  },
  mintToken: {
    method: 'POST',
    path: '/v1/tokens',
    tag: 'access',
    summary: 'Mint a named token for one human; the secret is shown once',
    access: OWNER,
    freshLogin: true,
    body: MintToken,
    answer: MintedToken,
    status: 201,
  },
  revokeToken: {
    method: 'DELETE',
    path: '/v1/tokens/:credentialId',
    tag: 'access',
    summary: 'Revoke a credential; requests fail at once and its live streams end',
    access: OWNER,
    freshLogin: true,
    params: z.strictObject({ credentialId: CredentialId }),
    status: 204,
  },
} as const satisfies Record<string, Route>;
