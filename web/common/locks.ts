/**
 * Takes what only one tab may do: gives the release, or null where another tab has it. Browsers have locks on secure
 * pages only; elsewhere everybody gets one.
 */
export async function takeLock(name: string, locks: LockManager | undefined): Promise<(() => void) | null> {
  if (!locks) return () => undefined;
  return new Promise((resolve, reject) => {
    locks
      .request(name, { ifAvailable: true }, (lock) => {
        if (lock === null) return resolve(null);
        const held = Promise.withResolvers<void>();
        resolve(() => held.resolve());
        return held.promise;
      })
      .catch(reject);
  });
}
