import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

/** A way to a server that a test can cut: at once, or at an exact word. */
export interface FlakyLink {
  /** The server's, through this link. */
  readonly url: string;
  /** Ends what is connected. New connections are made as before. */
  cut(): void;
  /**
   * Cuts the connection on which `word` is sent next, and resolves when it was. The server gets the
   * word, and its answer does not come back; with `lose`, it does not even get the word.
   */
  cutAt(word: string, how: 'deliver' | 'lose'): Promise<void>;
  /** Refuses all connections until `restore`. */
  refuse(): void;
  /** Drops everything that is sent until `restore`; connections of that time stay dead. */
  hush(): void;
  restore(): void;
  close(): Promise<void>;
}

interface Trap {
  readonly word: string;
  readonly how: 'deliver' | 'lose';
  readonly sprung: () => void;
}

export async function openFlakyLink(url: string): Promise<FlakyLink> {
  const target = new URL(url);
  const sockets = new Set<Socket>();
  let refusing = false;
  let silent = false;
  let trap: Trap | undefined;

  const server = createServer((near) => {
    if (refusing) {
      near.destroy();
      return;
    }
    const far = connect(Number(target.port), target.hostname);
    for (const socket of [near, far]) {
      sockets.add(socket);
      socket.on('error', () => socket.destroy());
      socket.on('close', () => {
        sockets.delete(socket);
        near.destroy();
        far.end();
      });
    }
    far.on('data', (chunk) => near.destroyed || silent || near.write(chunk));
    near.on('data', (chunk) => {
      if (silent) return;
      if (!trap || !chunk.includes(trap.word)) {
        far.write(chunk);
        return;
      }
      const { how, sprung } = trap;
      trap = undefined;
      if (how === 'deliver') far.end(chunk);
      near.destroy();
      sprung();
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const through = new URL(url);
  through.hostname = '127.0.0.1';
  through.port = String((server.address() as AddressInfo).port);

  const cut = (): void => {
    for (const socket of sockets) socket.destroy();
  };
  return {
    url: through.href,
    cut,
    cutAt: (word, how) =>
      new Promise((sprung) => {
        trap = { word, how, sprung };
      }),
    refuse: () => {
      refusing = true;
      cut();
    },
    hush: () => {
      silent = true;
    },
    restore: () => {
      refusing = false;
      if (silent) cut();
      silent = false;
    },
    close: async () => {
      const closed = once(server, 'close');
      server.close();
      cut();
      await closed;
    },
  };
}
