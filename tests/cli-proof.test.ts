import { type ChildProcess, spawn } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { call, ForeignServer, newPerson, startDaemon, type TestDaemon } from '@stoa/testkit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { stoa } from './stoa-command.js';

interface Note {
  readonly pid: number;
  readonly bootId: string;
  readonly processStart: string;
}

const sentTo = (server: ForeignServer): string => JSON.stringify(server.received);
const pathsOf = (server: ForeignServer): string[] => server.received.map(({ path }) => path);

describe('the command line and a server that is not the daemon', () => {
  let daemon: TestDaemon;
  let dead: TestDaemon;
  let foreign: ForeignServer;
  let other: ChildProcess;

  beforeAll(async () => {
    [daemon, dead] = await Promise.all([startDaemon(), startDaemon()]);
    other = spawn('sleep', ['600'], { stdio: 'ignore' });
    await dead.kill();
    foreign = await ForeignServer.listen(dead.port);
  });
  afterAll(async () => {
    other.kill();
    await foreign.close();
    await dead.cleanUp();
    await daemon.cleanUp();
  });

  const noteFile = (): string => join(dead.home, 'daemon.json');
  const readNote = (): Note => JSON.parse(readFileSync(noteFile(), 'utf8')) as Note;
  /** As if the living process had the number of the dead daemon. */
  const write = (note: Partial<Note>): void => {
    writeFileSync(noteFile(), JSON.stringify({ ...readNote(), pid: other.pid, ...note }));
  };
  const startOf = (pid: number): string => {
    const stat = readFileSync(`/proc/${String(pid)}/stat`, 'latin1');
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19] ?? '';
  };

  it.runIf(process.platform === 'linux')(
    'SE-54 a daemon that was killed is not mistaken for another process with its pid and its port, also after a reboot',
    async () => {
      const { bootId, processStart } = readNote();
      expect([bootId, processStart]).toEqual([expect.any(String), expect.any(String)]);
      const list = () => stoa(['channel', 'list'], { env: { STOA_HOME: dead.home } });
      const later = startOf(other.pid ?? 0);
      for (const note of [
        // The same start of the machine, another process.
        {},
        // Another start of the machine, in which a process began at the same moment.
        { bootId: '00000000-0000-4000-8000-000000000000', processStart: later },
      ]) {
        write(note);
        const { code, out, err } = await list();
        expect({ code, out }).toEqual({ code: 3, out: '' });
        expect(err).toContain(`no daemon runs on ${dead.home} (daemon_unreachable)`);
        expect(foreign.received).toEqual([]);
      }
      // Where the system does not tell, the server has to prove that it is the daemon.
      write({ bootId: undefined as unknown as string });
      const { code, err } = await list();
      expect(code).toBe(3);
      expect(err).toContain('(daemon_not_proven)');
      expect(pathsOf(foreign)).toEqual(['/v1/daemon-proofs']);
      expect(sentTo(foreign)).not.toContain(dead.token);
      // That the process is what decides: one that is all that the note says is believed.
      write({ bootId, processStart: later });
      await list();
      expect(foreign.received.at(-1)?.headers.authorization).toBe(`Bearer ${dead.token}`);
    },
  );

  it('SE-55 no token is sent to a server that does not prove to know it', async () => {
    const { token } = await newPerson(daemon, 'ada');
    const home = { STOA_HOME: daemon.home };
    const server = await ForeignServer.listen();
    try {
      const port = String(server.port);
      for (const [args, env] of [
        [['--url', server.url], home],
        [['--url', server.url], { ...home, STOA_TOKEN: token }],
        [[], { ...home, STOA_URL: server.url }],
        [[], { ...home, STOA_PORT: port }],
        [['--url', `http://localhost:${port}`], home],
      ] as const) {
        const { code, out, err } = await stoa([...args, 'channel', 'list'], { env });
        expect({ code, out }).toEqual({ code: 3, out: '' });
        expect(err).toContain('nothing was sent to it');
        expect(err).toContain('(daemon_not_proven)');
      }
      const tail = await stoa(['--url', server.url, 'tail', 'lobby', '--follow'], { env: home });
      expect(tail.code).toBe(3);
      expect(new Set(pathsOf(server))).toEqual(new Set(['/v1/daemon-proofs']));
      expect(sentTo(server)).not.toMatch(new RegExp(`${daemon.token}|${token}|authorization`));
    } finally {
      await server.close();
    }
  });

  it('SE-55 a server that asks the daemon for the proof and passes it on gets none', async () => {
    const relay = await ForeignServer.listen(0, async ({ method, path, body }) => {
      const headers = { 'content-type': 'application/json' };
      const answer = await call(daemon.url, method, path, { raw: body, headers });
      return answer.text;
    });
    try {
      const env = { STOA_HOME: daemon.home, STOA_URL: relay.url };
      const { code, err } = await stoa(['channel', 'list'], { env });
      expect(code).toBe(3);
      expect(err).toContain('(daemon_not_proven)');
      expect(pathsOf(relay)).toEqual(['/v1/daemon-proofs']);
      // It did ask the daemon, which answers for its own address only.
      const { host } = new URL(relay.url);
      expect(relay.received[0]?.body).toContain(host);
    } finally {
      await relay.close();
    }
  });

  it('SE-55 the daemon proves itself under each of its names, to everybody who has a token', async () => {
    const { token } = await newPerson(daemon, 'bea');
    const port = String(daemon.port);
    for (const env of [
      { STOA_HOME: daemon.home, STOA_URL: daemon.url },
      { STOA_HOME: daemon.home, STOA_URL: `http://localhost:${port}` },
      { STOA_HOME: dead.home, STOA_PORT: port, STOA_TOKEN: daemon.token },
      { STOA_HOME: dead.home, STOA_URL: daemon.url, STOA_TOKEN: token },
    ]) {
      expect(await stoa(['channel', 'list', '--json'], { env })).toMatchObject({
        code: 0,
        err: '',
      });
    }
    const wrong = { STOA_HOME: dead.home, STOA_URL: daemon.url, STOA_TOKEN: 'stoa_wrong' };
    expect(await stoa(['channel', 'list'], { env: wrong })).toMatchObject({
      code: 4,
      err: expect.stringContaining('does not know this token, so it was not sent') as string,
    });
  });
});
