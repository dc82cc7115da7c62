import type { LoginKey } from '@stoa/client';

/*
 * The key of the login of this browser. It is kept in IndexedDB, which belongs to one origin, that is to one port, and
 * as a key that no script can read: a page can sign with it and cannot take it away.
 */

const DATABASE = 'stoa';
const STORE = 'login';
const CURRENT = 'current';
const HMAC = { name: 'HMAC', hash: 'SHA-256' } as const;

interface Kept {
  readonly credentialId: string;
  readonly key: CryptoKey;
}

/** Browsers sign only where the page cannot have been changed on its way: over https, and from this machine. */
export const canSign = (): boolean => isSecureContext;

/** Undefined where this browser has no login here, or keeps nothing. */
export async function loginKey(): Promise<LoginKey | undefined> {
  try {
    const kept = await inStore<Kept | undefined>(
      'readonly',
      (store) => store.get(CURRENT) as IDBRequest<Kept | undefined>,
    );
    return kept && { credentialId: kept.credentialId, sign: (text) => sign(kept.key, text) };
  } catch {
    return undefined;
  }
}

/** Rejects where this browser keeps nothing. */
export async function keepLoginKey(credentialId: string, secret: string): Promise<void> {
  const bytes = new TextEncoder().encode(secret);
  const key = await crypto.subtle.importKey('raw', bytes, HMAC, false, ['sign']);
  const kept: Kept = { credentialId, key };
  await inStore('readwrite', (store) => store.put(kept, CURRENT));
}

/** Rejects if this browser stores nothing, so that no login code is wasted. */
export async function assertKeeps(): Promise<void> {
  await inStore('readwrite', (store) => store.count());
}

export async function forgetLoginKey(): Promise<void> {
  await inStore('readwrite', (store) => store.delete(CURRENT));
}

async function sign(key: CryptoKey, text: string): Promise<string> {
  const mac = await crypto.subtle.sign('HMAC', key, new TextEncoder().encode(text));
  return Array.from(new Uint8Array(mac), (byte) => byte.toString(16).padStart(2, '0')).join('');
}

async function inStore<T>(
  mode: IDBTransactionMode,
  ask: (store: IDBObjectStore) => IDBRequest<T>,
): Promise<T> {
  const opening = indexedDB.open(DATABASE, 1);
  opening.onupgradeneeded = () => opening.result.createObjectStore(STORE);
  const database = await answered(opening);
  try {
    const transaction = database.transaction(STORE, mode);
    const done = new Promise<void>((resolve, reject) => {
      transaction.oncomplete = () => resolve();
      transaction.onabort = () =>
        reject(transaction.error ?? new Error('the storage of the browser refused the change'));
    });
    const [answer] = await Promise.all([answered(ask(transaction.objectStore(STORE))), done]);
    return answer;
  } finally {
    database.close();
  }
}

function answered<T>(request: IDBRequest<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result);
    request.onerror = () =>
      reject(request.error ?? new Error('the storage of the browser is not available'));
  });
}
