import type { Tx } from '@stoa/store';

/**
 * A point at which a module lets modules above it take part, without knowing them. The declaring module runs the hook,
 * others handle it. Handlers run in the order of the modules.
 */
export interface Hook<Args extends readonly unknown[], R> {
  readonly name: string;
  /** Never set: it only carries the types. */
  readonly types?: (...args: Args) => R;
}

export const defineHook = <Args extends readonly unknown[], R>(name: string): Hook<Args, R> => ({
  name,
});

type AnyHook = Pick<Hook<never, unknown>, 'name'>;

export interface Handler {
  readonly hook: AnyHook;
  readonly handle: (...args: never[]) => unknown;
}

export const on = <Args extends readonly unknown[], R>(
  hook: Hook<Args, R>,
  handle: (...args: Args) => R,
): Handler => ({ hook, handle: handle });

/** Runs hooks. Handlers are added while modules are created; hooks run after that. */
export class Hooks {
  readonly #handlers = new Map<AnyHook, Handler['handle'][]>();

  add(handlers: readonly Handler[]): void {
    for (const { hook, handle } of handlers) {
      const known = this.#handlers.get(hook);
      if (known) known.push(handle);
      else this.#handlers.set(hook, [handle]);
    }
  }

  /** Inside a transaction: the decisions of all handlers, in order. */
  *collect<Args extends readonly unknown[], E>(
    hook: Hook<Args, Tx<readonly E[]>>,
    ...args: Args
  ): Tx<E[]> {
    const all: E[] = [];
    for (const handle of this.#of(hook)) all.push(...(yield* handle(...args)));
    return all;
  }

  /** Inside a transaction: whether a handler returns true. */
  *some<Args extends readonly unknown[]>(
    hook: Hook<Args, Tx<boolean>>,
    ...args: Args
  ): Tx<boolean> {
    for (const handle of this.#of(hook)) if (yield* handle(...args)) return true;
    return false;
  }

  /** The results of all handlers in one record. */
  merge<Args extends readonly unknown[], R extends object>(
    hook: Hook<Args, Partial<R>>,
    ...args: Args
  ): R {
    // The handlers of all modules together return every field.
    return Object.assign({}, ...this.#of(hook).map((handle) => handle(...args))) as R;
  }

  /** Outside of transactions. Rejects if a handler rejects; the handlers after it are not called. */
  async notify<Args extends readonly unknown[]>(
    hook: Hook<Args, Promise<void> | undefined>,
    ...args: Args
  ): Promise<void> {
    for (const handle of this.#of(hook)) await handle(...args);
  }

  #of<Args extends readonly unknown[], R>(hook: Hook<Args, R>): readonly ((...args: Args) => R)[] {
    return (this.#handlers.get(hook) ?? []) as unknown as readonly ((...args: Args) => R)[];
  }
}
