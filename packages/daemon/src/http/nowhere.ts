import type { FastifyRequest } from 'fastify';

/** What programs call: there an address that leads nowhere is a problem, whatever they accept. */
const FOR_PROGRAMS = /^\/(?:v1|mcp|assets)(?:[/?]|$)/;

/** Whether a person has opened an address that leads nowhere: the web UI says so, and has a way back. */
export function isNowhere({
  is404,
  method,
  url,
  headers,
}: Pick<FastifyRequest, 'is404' | 'method' | 'url' | 'headers'>): boolean {
  const isOpened = method === 'GET' && headers.accept?.includes('text/html') === true;
  return is404 && isOpened && !FOR_PROGRAMS.test(url);
}
