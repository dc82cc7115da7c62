import { createHmac, randomBytes } from 'node:crypto';
import {
  type AccessToken,
  type BrowserLogin,
  type DaemonProof,
  type GrantAccess,
  proofText,
} from '@stoa/protocol';
import { type CallAnswer, call } from '../daemon/call.js';

/** Opens the login page, which contains the ticket. */
export function openLoginPage(
  url: string,
  code: string,
  headers: Readonly<Record<string, string>> = {},
): Promise<CallAnswer> {
  return call(url, 'GET', `/login?code=${encodeURIComponent(code)}`, { headers });
}

export function ticketIn(page: string): string {
  const content = /<meta name="stoa-login" content="([^"]*)">/.exec(page)?.[1] ?? '';
  if (content === '') return 'no-ticket';
  return (JSON.parse(content.replaceAll('&quot;', '"')) as { ticket: string }).ticket;
}

/** Opens the link and presses the button, as the page does it. */
export async function confirmCode(url: string, code: string): Promise<CallAnswer<BrowserLogin>> {
  const page = await openLoginPage(url, code);
  return call<BrowserLogin>(url, 'POST', '/login', { body: { code, ticket: ticketIn(page.text) } });
}

/** What the page of a browser does with the key of its login, without the browser. */
export class PageLogin {
  constructor(
    private readonly url: string,
    readonly credentialId: string,
    readonly key: string,
  ) {}

  static async open(url: string, code: string): Promise<PageLogin> {
    const { status, json, text } = await confirmCode(url, code);
    if (status !== 201) throw new Error(`the login was refused: ${text}`);
    return new PageLogin(url, json.credentialId, json.key);
  }

  /** The daemon proves itself; answers with what the page sends in return. */
  async prove(host: string = new URL(this.url).host): Promise<GrantAccess> {
    const { credentialId } = this;
    const nonce = randomBytes(16).toString('base64url');
    const asked = { of: 'browser', credentialId, nonce, host };
    const { json, status, text } = await call<DaemonProof>(this.url, 'POST', '/v1/daemon-proofs', {
      body: asked,
    });
    if (status !== 200) throw new Error(`there was no proof: ${text}`);
    const { challenge } = json;
    const expected = this.#sign(proofText('daemon', { host, nonce, challenge }));
    if (!json.proofs.includes(expected)) throw new Error('the daemon does not know the key');
    const proof = this.#sign(proofText('page', { host, nonce, challenge }));
    return { credentialId, nonce, host, challenge, proof };
  }

  grant(proof: GrantAccess): Promise<CallAnswer<AccessToken>> {
    return call<AccessToken>(this.url, 'POST', '/v1/access-tokens', { body: proof });
  }

  /** The header of a request; throws when no access is granted. */
  async headers(): Promise<Record<string, string>> {
    const { json, status, text } = await this.grant(await this.prove());
    if (status !== 201) throw new Error(`no access was granted: ${text}`);
    return { 'stoa-access-token': json.accessToken };
  }

  #sign(text: string): string {
    return createHmac('sha256', this.key).update(text).digest('hex');
  }
}
