/**
 * Takes a lock across tabs. Returns the release function, or null where another tab holds the lock. Browsers support
 * locks on secure pages only; elsewhere the lock is always granted.
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
