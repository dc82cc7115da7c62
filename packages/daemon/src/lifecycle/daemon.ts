import { mkdtemp, rm } from 'node:fs/promises';
import type { AddressInfo } from 'node:net';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { createCore, OWNER_ID } from '@stoa/core';
import { type Principal, type Status, StoaError } from '@stoa/protocol';
import { DataLock, openScratchStore, type ScratchStore } from '@stoa/store';
import type { Logger } from 'pino';
import { DiskAssetFiles } from '../assets/asset-files.js';
import type { Settings } from '../config/load-config.js';
import { hostsOf, urlOf } from '../http/addresses.js';
import { createHandlers } from '../http/handlers.js';
import { OriginGuard } from '../http/origin-guard.js';
import { createServer } from '../http/server.js';
import { createSpecialHandlers } from '../http/special.js';
import { WebFiles } from '../http/web-files.js';
import { createEventStream } from '../live/event-stream.js';
import { Streams } from '../live/streams.js';
import { serveWebSocket } from '../live/web-socket.js';
import { createMcpEndpoint } from '../mcp/mcp-endpoint.js';
import { Metrics } from '../observe/metrics.js';
import { createIds } from '../ports/ids.js';
import { secrets } from '../ports/secrets.js';
import { createRuntime, toMs } from '../runtime/create-runtime.js';
import { locationOf, newDaemonId, processMark } from '../runtime/location.js';
import { createTaskUpkeep } from '../runtime/task-upkeep.js';
import { startTicking } from '../runtime/ticking.js';
import { VERSION } from '../version.js';
import { writeBackup } from './backup.js';
import { openEngine } from './engine.js';
import { browserKey, ownerToken, prepareHome } from './home-directory.js';
import { openLobby } from './open-lobby.js';
import { startSweeping } from './sweeping.js';
import { Teardown } from './teardown.js';
import { warningsOf } from './warnings.js';

export interface Daemon {
  readonly url: string;
  /** This start created the lobby. */
  readonly hasOpenedLobby: boolean;
  /** A new one-time link for a browser. */
  loginUrl(): Promise<string>;
  /** Refuses new work, finishes the current work, notifies live readers, releases everything. Idempotent. */
  stop(): Promise<void>;
}

const OWNER: Principal = { kind: 'human', id: OWNER_ID, owner: true, credentialId: 'system' };
const DRAIN_MS = 3_000;

/**
 * Starts the daemon in this order: directory, lock, store, domain, workers, HTTP. If a step fails, the ones before it
 * are undone, so that nothing stays half-started.
 */
export async function startDaemon(
  { home, config }: Settings,
  log: Logger,
  paths: {
    readonly searchThread: URL;
    readonly web: string;
    readonly installation: readonly string[];
  },
): Promise<Daemon> {
  const teardown = new Teardown((name, error) => {
    log.error({ err: error, step: name }, 'a step of stopping failed');
  });
  try {
    return await bringUp();
  } catch (error) {
    await teardown.run();
    throw error;
  }

  async function bringUp(): Promise<Daemon> {
    const startedAt = Date.now();
    prepareHome(home);
    const lock = DataLock.take(home);
    teardown.add('lock', () => {
      lock.release();
    });
    if (lock.stale)
      log.warn(
        { pid: lock.stale.pid },
        'took over the data directory from a daemon that ended without releasing it',
      );
    const note = { pid: process.pid, startedAt, version: VERSION, ...processMark() };
    lock.announce(note);

    const { store, search } = await openEngine({
      home,
      config,
      searchThread: paths.searchThread,
      onSearchFailure: (error) => {
        log.error({ err: error }, 'the search index failed and starts again');
      },
    });
    teardown.add('store', () => store.close());
    teardown.add('search', () => search.close());
    const files = new DiskAssetFiles(join(home, 'assets'));
    const streams = new Streams(config.streams.limit);
    const metrics = new Metrics(() => streams.count);
    const { retention } = config;
    const phase = { ready: false, stopping: false, port: 0 };
    const url = (): string => urlOf(config.host, phase.port);
    const runtime = createRuntime({
      installation: paths.installation,
      home,
      config,
      daemonId: newDaemonId(home),
      location: locationOf(store.engine, home),
      log,
      directory: process.cwd(),
      environment: process.env,
      url,
      dreamEnded: (outcome, milliseconds) => {
        metrics.countDream(outcome, milliseconds);
      },
    });
    const core = createCore({
      store,
      search,
      files,
      clock: { now: Date.now },
      ids: createIds(),
      secrets,
      browserKey: browserKey(home),
      retention: {
        idempotencyKeyMs: toMs(retention.idempotencyKeyHours),
        revokedCredentialMs: toMs(retention.revokedCredentialHours),
        unusedAssetMs: toMs(retention.unusedAssetHours),
        humanTopicEvents: retention.humanTopicEvents,
      },
      openScratch,
      report: (error) => {
        log.error({ err: error }, 'an error that no caller waits for');
      },
      runtime: runtime.ports,
    });
    core.onCommit((entries) => {
      metrics.countEvents(entries.length);
    });
    const taskUpkeep = createTaskUpkeep({
      core,
      tasksDirectory: runtime.ports.taskDirectory,
      location: runtime.ports.location,
      keptMs: toMs(retention.taskFileHours),
      diagnose: runtime.ports.diagnose,
    });
    await core.credentials.adoptOwnerToken(ownerToken(home), `${hostname()}:${home}`);
    const stopHints = store.onTopicHint?.((topic) => {
      core.hint(topic === '*' ? undefined : topic);
    });
    if (stopHints) teardown.add('hints', stopHints);
    const sweepMs = retention.sweepSeconds * 1000;
    teardown.add('sweeper', startSweeping(core.sweeper, taskUpkeep, sweepMs, log));

    await taskUpkeep.tidy();
    await core.recover();
    await taskUpkeep.recover();
    teardown.add('transcripts', () => taskUpkeep.close());
    teardown.add('drivers', () => runtime.close());
    teardown.add('domain', () => core.close());
    teardown.add('ticking', startTicking(core.ticks, log));

    const guard = new OriginGuard();
    const loginUrl = (code: string): string => `${url()}/login?code=${code}`;
    const status = async (): Promise<Status> => ({
      version: VERSION,
      startedAt,
      engine: store.engine,
      engineVersion: store.engineVersion,
      schemaVersion: store.schemaVersion,
      durability: config.durability,
      warnings: [
        ...warningsOf(config, store.warnings, core.storeWait.outage),
        ...runtime.warnings(),
      ],
      channels: await core.channels.count(),
      streams: streams.count,
    });
    const stopping = (): boolean => phase.stopping;
    const mcp = createMcpEndpoint({
      core,
      home,
      version: VERSION,
      report: (error) => {
        log.error({ err: error }, 'the MCP endpoint hit an error');
      },
    });
    const server = createServer({
      core,
      guard,
      metrics,
      log,
      stopping,
      handlers: createHandlers({
        core,
        status,
        loginUrl,
        isOwnHost: (host) => guard.isOwnHost(host),
        currency: config.currency,
        mcpServers: async () => runtime.mcpHealth(await core.agents.list()),
        backup: (directory) => writeBackup(home, store, directory),
      }),
      special: createSpecialHandlers({
        core,
        files,
        web: new WebFiles(paths.web),
        version: VERSION,
        metrics,
        ready: () => phase.ready && !phase.stopping,
        events: createEventStream({ core, streams, log, stopping }),
        mcp: mcp.handle,
      }),
    });
    const endSockets = serveWebSocket(server.server, { core, guard, streams, log, stopping });
    teardown.add('http', async () => {
      const hardEnd = setTimeout(() => {
        endSockets();
        server.server.closeAllConnections();
      }, DRAIN_MS);
      phase.stopping = true;
      streams.endAll('shutdown');
      mcp.close();
      await server.close();
      endSockets();
      clearTimeout(hardEnd);
    });
    const listenAs = (own: number): void => {
      phase.port = own;
      guard.allow(hostsOf(config.host, own, config.allowedHosts));
    };
    // Clients that wait for a restarted daemon connect immediately, so the names must be known now.
    listenAs(config.port);
    await listen(server, config.host, config.port);
    listenAs((server.server.address() as AddressInfo).port);
    lock.announce({ ...note, url: url() });
    phase.ready = true;
    await core.start();
    for (const warning of warningsOf(config, store.warnings)) log.warn(warning);
    const hasOpenedLobby =
      config.lobby === 'auto' && (await openLobby({ core, store, owner: OWNER, log }));
    return {
      url: url(),
      hasOpenedLobby,
      loginUrl: async () => loginUrl((await core.loginCodes.create(OWNER)).code),
      stop: () => teardown.run(),
    };
  }
}

async function listen(
  server: ReturnType<typeof createServer>,
  host: string,
  port: number,
): Promise<void> {
  try {
    await server.listen({ host, port });
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EADDRINUSE') {
      throw new StoaError(
        'address_in_use',
        `Port ${String(port)} on ${host} is taken. Set STOA_PORT to another one, or stop what uses it.`,
        [],
        { cause: error },
      );
    }
    throw error;
  }
}

/** A store for replays of logs; closing it deletes its file. */
async function openScratch(): Promise<ScratchStore> {
  const folder = await mkdtemp(join(tmpdir(), 'stoa-replay-'));
  const store = openScratchStore(join(folder, 'replay.db'));
  const close = store.close.bind(store);
  return Object.assign(store, {
    async close() {
      await close();
      await rm(folder, { recursive: true, force: true });
    },
  });
}
