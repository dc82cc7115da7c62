import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { decide } from '@stoa/core';
import { WorkspaceRun, type WorkspaceRunOptions } from '@stoa/testkit';
import { afterEach, describe, expect, it } from 'vitest';
import { ToolRunner } from '../tool-runner.js';
import type { Address } from './fetch-page.js';
import { htmlText } from './html-text.js';
import { isPublicAddress } from './public-address.js';
import { createWebFetch } from './web-fetch.js';

const worlds: WorkspaceRun[] = [];
const servers: Server[] = [];
afterEach(async () => {
  for (const world of worlds.splice(0)) await world.discard();
  for (const server of servers.splice(0)) {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  }
});

type Answer = (request: IncomingMessage, response: ServerResponse) => void;

async function serve(answer: Answer): Promise<{ port: number; asked: string[] }> {
  const asked: string[] = [];
  const server = createServer((request, response) => {
    asked.push(`${request.headers.host ?? ''}${request.url ?? ''}`);
    answer(request, response);
  });
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return { port: (server.address() as AddressInfo).port, asked };
}

/** The test decides how names resolve. Only this loopback address counts as public. */
async function staged(
  names: Readonly<Record<string, readonly string[]>>,
  options: WorkspaceRunOptions = {},
  allowed: readonly string[] = ['127.0.0.1'],
) {
  const world = await WorkspaceRun.open({ mode: 'full', ...options });
  worlds.push(world);
  const resolved: string[] = [];
  const ports = {
    resolve: (host: string): Promise<Address[]> => {
      resolved.push(host);
      const found = names[host];
      if (!found) return Promise.reject(Object.assign(new Error(host), { code: 'ENOTFOUND' }));
      return Promise.resolve(
        found.map((address) => ({ address, family: address.includes(':') ? 6 : 4 })),
      );
    },
    isAllowed: (address: string) => allowed.includes(address) || isPublicAddress(address),
  };
  const runner = new ToolRunner({
    tools: [createWebFetch({ ports })],
    decide,
    home: world.home,
    now: () => performance.now(),
    diagnose: () => undefined,
  });
  let calls = 0;
  const fetch = (url: string) => {
    calls += 1;
    return runner.call({
      run: world.context,
      callId: `call_${calls}`,
      tool: 'web_fetch',
      input: { url },
    });
  };
  return { world, fetch, resolved };
}

describe('public addresses', () => {
  it.each([
    ...['0.0.0.0', '10.1.2.3', '100.64.0.1', '127.0.0.1', '127.9.9.9', '169.254.169.254'],
    ...['172.16.0.1', '172.31.255.255', '192.0.0.1', '192.168.1.1', '198.18.0.1', '224.0.0.1'],
    ...['240.0.0.1', '255.255.255.255', '::', '::1', '::ffff:127.0.0.1', '::ffff:8.8.8.8'],
    ...['::127.0.0.1', '64:ff9b::7f00:1', '64:ff9b:1::1', 'fc00::1', 'fd12::1', 'fe80::1'],
    ...['fe80::1%eth0', 'ff02::1', '2001::1', '2001:db8::1', '2002:7f00:1::', '100::1', 'x'],
  ])('%s is not', (address) => {
    expect(isPublicAddress(address)).toBe(false);
  });

  it.each(['8.8.8.8', '1.1.1.1', '172.32.0.1', '100.128.0.1', '2606:4700::1111', '2a00::1'])(
    '%s is',
    (address) => {
      expect(isPublicAddress(address)).toBe(true);
    },
  );
});

describe('web_fetch', () => {
  it('connects only to the address that was checked', async () => {
    const { port, asked } = await serve((_, response) => {
      response.setHeader('content-type', 'text/html; charset=utf-8');
      response.end('<title>Hi &amp; ho</title><h1>Head</h1><p>See <a href="/x">this</a>.</p>');
    });
    const { fetch, resolved } = await staged({ 'example.test': ['127.0.0.1'] });
    const url = `http://example.test:${port}/page?q=1#part`;
    expect(await fetch(url)).toMatchObject({
      outcome: 'ok',
      output: [
        `http://example.test:${port}/page?q=1 (200)`,
        '',
        '# Hi & ho',
        '',
        '# Head',
        '',
        `See this (http://example.test:${port}/x).`,
      ].join('\n'),
    });
    expect(asked).toEqual([`example.test:${port}/page?q=1`]);
    expect(resolved).toEqual(['example.test']);
  });

  it.each([
    'http://private.test/',
    'http://mixed.test/',
    'http://127.0.0.2/',
    'http://2130706434/',
    'http://0x7f.2/',
    'http://[::1]/',
    'http://[::ffff:127.0.0.2]/',
    'http://169.254.169.254/latest/meta-data/',
    'http://localhost/',
  ])('refuses %s', async (url) => {
    const { fetch } = await staged({
      'private.test': ['10.0.0.1'],
      'mixed.test': ['8.8.8.8', '10.0.0.1'],
      localhost: ['127.0.0.2', '::1'],
    });
    const result = await fetch(url);
    expect(result.outcome).toBe('error');
    expect(result.output).toMatch(/not on the public internet/);
  });

  it.each([
    ['file:///etc/passwd', /Only http and https/],
    ['ftp://example.test/', /Only http and https/],
    ['http://user:secret@example.test/', /user name/],
    ['no url', /Not a URL/],
    ['http://unknown.test/', /cannot be resolved/],
  ])('refuses %s', async (url, reason) => {
    const { fetch } = await staged({});
    expect((await fetch(url)).output).toMatch(reason);
  });

  it('checks every redirect, and follows at most five', async () => {
    const { port, asked } = await serve((request, response) => {
      const to = request.url === '/in' ? 'http://inside.test/' : `/hop${asked.length}`;
      response.writeHead(302, { location: to }).end();
    });
    const { fetch } = await staged({ 'example.test': ['127.0.0.1'], 'inside.test': ['10.0.0.1'] });
    const inside = await fetch(`http://example.test:${port}/in`);
    expect(inside.output).toMatch(/inside\.test has an address that is not on the public/);
    asked.length = 0;
    expect((await fetch(`http://example.test:${port}/`)).output).toMatch(/More than 5 redirects/);
    expect(asked).toHaveLength(6);
  });

  it('refuses a name that resolves to a private address after a redirect', async () => {
    const { port, asked } = await serve((_, response) => {
      addresses[0] = '10.0.0.1';
      response.writeHead(302, { location: '/again' }).end();
    });
    const addresses = ['127.0.0.1'];
    const { fetch } = await staged({ 'example.test': addresses });
    expect((await fetch(`http://example.test:${port}/`)).output).toMatch(/not on the public/);
    expect(asked).toHaveLength(1);
  });

  it('does not follow a redirect to a host that needs approval', async () => {
    const { port, asked } = await serve((request, response) => {
      if (request.url === '/end') response.end('arrived');
      else response.writeHead(302, { location: `http://other.test:${port}/end` }).end();
    });
    const names = { 'example.test': ['127.0.0.1'], 'other.test': ['127.0.0.1'] };
    const asking = await staged(names, {
      mode: 'ask',
      permissions: { allow: ['Fetch(domain:example.test)'] },
    });
    const stopped = await asking.fetch(`http://example.test:${port}/`);
    expect(stopped.output).toMatch(/It redirects to another host: http:\/\/other\.test/);
    expect(asked).toEqual([`example.test:${port}/`]);
    const full = await staged(names);
    expect((await full.fetch(`http://example.test:${port}/`)).output).toMatch(/arrived$/);
  });

  it('accepts at most two megabytes, and only text', async () => {
    const { port } = await serve((request, response) => {
      if (request.url === '/image') response.setHeader('content-type', 'image/png');
      if (request.url === '/packed') response.setHeader('content-encoding', 'gzip');
      if (request.url !== '/flood') return void response.end('x');
      const more = (): void => {
        while (response.write('y'.repeat(65_536)));
        response.once('drain', more);
      };
      more();
    });
    const { fetch } = await staged({ 'example.test': ['127.0.0.1'] });
    expect((await fetch(`http://example.test:${port}/image`)).output).toMatch(/image\/png/);
    expect((await fetch(`http://example.test:${port}/packed`)).output).toMatch(/encoded/);
    const flood = await fetch(`http://example.test:${port}/flood`);
    expect(flood.output).toMatch(/only its beginning is shown\]$/);
  });

  it('R-4 ends with the run', async () => {
    let begun!: () => void;
    const hasBegun = new Promise<void>((resolve) => {
      begun = resolve;
    });
    const { port } = await serve(() => begun());
    const { world, fetch } = await staged({ 'example.test': ['127.0.0.1'] });
    const refused = expect(fetch(`http://example.test:${port}/`)).rejects.toMatchObject({
      code: 'run_ended',
    });
    await hasBegun;
    await world.cancel();
    await refused;
  });
});

/** CPU time in total, and the maximum between two turns of the event loop. Other processes do not count. */
function watchThread() {
  const busyMs = (): number => {
    const { user, system } = process.cpuUsage();
    return (user + system) / 1_000;
  };
  const first = busyMs();
  let last = first;
  let longestMs = 0;
  const turn = (): void => {
    const now = busyMs();
    longestMs = Math.max(longestMs, now - last);
    last = now;
  };
  const timer = setInterval(turn, 1);
  return {
    end: () => {
      clearInterval(timer);
      turn();
      return { busyMs: last - first, longestMs };
    },
  };
}

describe('a page that is designed to be slow', () => {
  it.each(['<title ', '<script', '</style', '<script></style', '<a href='])(
    'SE-46 2 MiB of %s are read in less than a second, in time that grows with the page',
    async (fragment) => {
      const page = (bytes: number): string => fragment.repeat(Math.ceil(bytes / fragment.length));
      const { port } = await serve((request, response) => {
        response.setHeader('content-type', 'text/html');
        response.end(page(Number(request.url?.slice(1))));
      });
      const { fetch } = await staged({ 'example.test': ['127.0.0.1'] });
      const read = async (bytes: number) => {
        const watch = watchThread();
        await fetch(`http://example.test:${port}/${bytes}`);
        return watch.end();
      };
      await read(1_000);
      const small = await read(200_000);
      const large = await read(2 * 1024 * 1024);
      expect(large.busyMs).toBeLessThan(1_000);
      expect(large.busyMs).toBeLessThan(40 * Math.max(small.busyMs, 20));
      expect(large.longestMs).toBeLessThan(250);
    },
  );
});

describe('the text of a page', () => {
  const base = new URL('https://example.test/dir/');

  it('leaves out scripts and styles', async () => {
    const html = `<head><meta></head><style>a{}</style><script>if (a<b) "</p>"</script>
      <!-- <p>comment</p> --><p>one<br>two</p><ul><li>three</li><li>f&ouml;ur &#8212; &#x2014;</ul>
      <svg><text>no</text></svg><p>last`;
    expect(await htmlText(html, base)).toBe('one\ntwo\n\n- three\n\n- f&ouml;ur — —\n\nlast');
  });

  it('accepts any input', async () => {
    for (const html of ['<', '<a', '<a href=', '</', '<!--', '<script>', '<p', '&#99999999;']) {
      expect(await htmlText(html, base)).toBeTypeOf('string');
    }
    expect(await htmlText('<a href="javascript:x()">click</a>', base)).toBe('click');
  });
});
