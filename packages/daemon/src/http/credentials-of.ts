import type { IncomingHttpHeaders } from 'node:http';
import type { Presented } from '@stoa/core';

/** The subprotocol of the live stream; a page offers its access token as a second one. */
export const STREAM_PROTOCOL = 'stoa';
const ACCESS_PROTOCOL = /^stoa\.access\.([\w-]{1,200})$/;
const SECRET = /^[\x21-\x7e]{1,200}$/;

/**
 * The credential of the caller: a token in `Authorization`, or the access token of a page in a separate header.
 * Cookies are never read: a browser sends them to every port of a host.
 */
export function presentedIn(headers: IncomingHttpHeaders): Presented | undefined {
  const { authorization, 'stoa-access-token': access } = headers;
  if (authorization !== undefined) {
    const secret = /^Bearer ([\x21-\x7e]{1,200})$/i.exec(authorization)?.[1];
    return secret === undefined ? undefined : { as: 'token', secret };
  }
  if (typeof access !== 'string' || !SECRET.test(access)) return undefined;
  return { as: 'access token', secret: access };
}

/** The same for an upgrade: a page cannot set a header there, but it can offer subprotocols. */
export function presentedInUpgrade(headers: IncomingHttpHeaders): Presented | undefined {
  if (headers.authorization !== undefined) return presentedIn(headers);
  for (const offered of (headers['sec-websocket-protocol'] ?? '').split(',')) {
    const secret = ACCESS_PROTOCOL.exec(offered.trim())?.[1];
    if (secret !== undefined) return { as: 'access token', secret };
  }
  return presentedIn(headers);
}
