import type { IncomingHttpHeaders } from 'node:http';
import { LIMITS } from '@stoa/protocol';

/** Cookies know no ports; the name keeps daemons on one machine apart. */
const cookieName = (port: number): string => `stoa_${String(port)}`;

/** The secret a request carries: the Authorization header, else the cookie of a browser. */
export function secretOf(headers: IncomingHttpHeaders, port: number): string | undefined {
  const { authorization, cookie } = headers;
  if (authorization !== undefined) return /^Bearer ([\x21-\x7e]{1,200})$/i.exec(authorization)?.[1];
  const prefix = `${cookieName(port)}=`;
  const pair = cookie?.split(';').find((part) => part.trim().startsWith(prefix));
  return pair?.trim().slice(prefix.length);
}

export function loginCookie(port: number, secret: string): string {
  const seconds = LIMITS.browserLoginMs / 1000;
  return `${cookieName(port)}=${secret}; Path=/; HttpOnly; SameSite=Strict; Max-Age=${String(seconds)}`;
}

export const expiredCookie = (port: number): string =>
  `${cookieName(port)}=; Path=/; HttpOnly; SameSite=Strict; Max-Age=0`;
