import type { BrowserLogin, Problem } from '@stoa/protocol';
import { useState } from 'react';
import { assertKeeps, canSign, keepLoginKey } from '../data/login-key.js';
import { Button } from '../ui/button.js';
import { Empty } from '../ui/empty.js';
import { NotSecure } from './not-secure.js';

/** What the daemon wrote into the page behind a login link. */
export interface LoginOffer {
  readonly humanId: string;
  readonly displayName: string;
  readonly code: string;
  readonly ticket: string;
}

export function loginOffer(): LoginOffer | undefined {
  const meta = document.querySelector<HTMLMetaElement>('meta[name="stoa-login"]');
  return meta ? (JSON.parse(meta.content) as LoginOffer) : undefined;
}

/** Nobody is logged in by following a link: the code is used when the person says so. */
export function LoginQuestion({ offer }: { readonly offer: LoginOffer }) {
  const [state, setState] = useState<'asking' | 'working' | { readonly problem: string }>('asking');
  if (!canSign()) return <NotSecure />;
  const { humanId, displayName } = offer;
  const confirm = async (): Promise<void> => {
    setState('working');
    try {
      await logIn(offer);
      location.replace('/');
    } catch (error) {
      setState({ problem: (error as Error).message });
    }
  };
  return (
    <main className="flex h-dvh">
      <Empty title={`Log in as ${displayName}?`}>
        <p className="mb-4">
          This browser will act as <code className="rounded bg-code px-1 font-mono">{humanId}</code>{' '}
          at {location.host}. If somebody else sent you this link, close the page.
        </p>
        {typeof state === 'object' ? (
          <p role="alert" className="mb-4 text-danger">
            {state.problem}
          </p>
        ) : null}
        <Button look="primary" disabled={state === 'working'} onClick={() => void confirm()}>
          Log in
        </Button>
      </Empty>
    </main>
  );
}

async function logIn({ code, ticket }: LoginOffer): Promise<void> {
  await assertKeeps();
  // There is no credential yet that a client of the API could work with.
  // eslint-disable-next-line no-restricted-globals -- logging in is what makes the client possible
  const answer = await fetch('/login', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ code, ticket }),
    credentials: 'omit',
    redirect: 'error',
  });
  if (!answer.ok) throw new Error(((await answer.json()) as Problem).detail);
  const { credentialId, key } = (await answer.json()) as BrowserLogin;
  await keepLoginKey(credentialId, key);
}
