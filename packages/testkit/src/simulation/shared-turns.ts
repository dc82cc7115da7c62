interface Turn {
  readonly holder: object;
  readonly begin: () => void;
}

/** Resources that daemons on one database use in turn. A daemon that dies gives up its turns. */
export class SharedTurns {
  /** The first of each has its turn, the others wait. */
  readonly #queues = new Map<string, Turn[]>();

  async run<T>(holder: object, name: string, work: () => Promise<T>): Promise<T> {
    const turn = await this.#turn(holder, name);
    try {
      return await work();
    } finally {
      this.#leave(name, turn);
    }
  }

  giveUp(holder: object): void {
    for (const [name, queue] of this.#queues) {
      for (const turn of queue.filter((other) => other.holder === holder)) this.#leave(name, turn);
    }
  }

  #turn(holder: object, name: string): Promise<Turn> {
    return new Promise((resolve) => {
      const turn: Turn = {
        holder,
        begin: () => {
          resolve(turn);
        },
      };
      const queue = this.#queues.get(name) ?? [];
      this.#queues.set(name, queue);
      if (queue.push(turn) === 1) turn.begin();
    });
  }

  #leave(name: string, turn: Turn): void {
    const queue = this.#queues.get(name) ?? [];
    const index = queue.indexOf(turn);
    if (index < 0) return;
    queue.splice(index, 1);
    if (index === 0) queue[0]?.begin();
    if (queue.length === 0) this.#queues.delete(name);
  }
}
