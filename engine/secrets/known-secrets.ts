import type { SecretStore } from './ports.ts';

/** All secrets that this process has used, so that they can be removed from published texts (engine/support/redact.ts). */
interface KnownSecrets {
  add(secret: string): void;
  all(): ReadonlySet<string>;
  /** Wraps the store, and remembers every secret read or written. */
  remembering(store: SecretStore): SecretStore;
}

/** Bounds the memory of a process that signs in and out forever. */
const maxSecrets = 1_000;

export function createKnownSecrets(): KnownSecrets {
  const known = new Set<string>();
  const add = (secret: string): void => {
    if (secret === '') return;
    known.delete(secret);
    known.add(secret);
    const [oldest] = known;
    if (known.size > maxSecrets && oldest !== undefined) known.delete(oldest);
  };
  return {
    add,
    all: () => known,
    remembering: (store) => ({
      kind: store.kind,
      async get(name) {
        const secret = await store.get(name);
        if (secret !== null) add(secret);
        return secret;
      },
      set(name, value) {
        add(value);
        return store.set(name, value);
      },
      delete: (name) => store.delete(name),
    }),
  };
}
