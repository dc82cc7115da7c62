/** Everybody does their operations one after the other, all of them at the same time. */
export async function share(
  workers: number,
  operationsEach: number,
  operation: (worker: number) => Promise<unknown>,
): Promise<void> {
  await Promise.all(
    Array.from({ length: workers }, async (_, worker) => {
      for (let i = 0; i < operationsEach; i++) await operation(worker);
    }),
  );
}
