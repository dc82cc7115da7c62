import type { TaskExecutor } from '@stoa/core';

/** An executor for tests that make the real one after the domain, or replace it. */
export const lateExecutor = (current: () => TaskExecutor | undefined): TaskExecutor =>
  new Proxy({} as TaskExecutor, {
    get: (_, name): unknown => Reflect.get(current() ?? {}, name),
  });
