import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { readFile } from 'node:fs/promises';

const secretHeader = /^(?:x-.*(?:token|key|code|password)|authorization|cookie)$/i;
const secretField = /password|secret|token|code|assertion|jws|authorization/i;
/** Shorter ones stand in texts by chance. */
const leastLength = 8;

export interface SecretRecord {
  readonly secrets: ReadonlySet<string>;
  stop(): void;
}

/** Keeps what this process's calls show as secrets from now on, in headers and in fields of bodies. */
export function recordSecrets(): SecretRecord {
  const secrets = new Set<string>();
  const note = (value: unknown): void => {
    if (typeof value === 'string' && value.length >= leastLength) secrets.add(value);
  };
  const walk = (value: unknown, isSecret: boolean): void => {
    if (typeof value === 'object' && value !== null)
      for (const [name, child] of Object.entries(value)) walk(child, isSecret || secretField.test(name));
    else if (isSecret) note(value);
  };
  const onRequest = (message: unknown): void => {
    const { headers, body } = (message as { readonly request: { readonly headers: unknown; readonly body: unknown } }).request;
    const all = Array.isArray(headers) ? headers.map(String) : [];
    for (let index = 0; index + 1 < all.length; index += 2) if (secretHeader.test(all[index]!)) note(all[index + 1]);
    if (typeof body !== 'string' && !Buffer.isBuffer(body)) return;
    try {
      walk(JSON.parse(String(body)), false);
    } catch {
      // Bytes of a file.
    }
  };
  subscribe('undici:request:create', onRequest);
  return { secrets, stop: () => void unsubscribe('undici:request:create', onRequest) };
}

/** The lines of a log in which one of the secrets stands, as a word or at the end of an address. */
export async function linesWithSecrets(file: string, secrets: ReadonlySet<string>): Promise<string[]> {
  const lines = (await readFile(file, 'utf8')).split('\n');
  return lines.filter(
    (line) =>
      line.split(/[^\w.~+/=-]+|(?<=[=/])/).some((word) => secrets.has(word)) ||
      [...longest(secrets)].some((secret) => line.includes(secret)),
  );
}

/** Those that are no single word. */
const longest = (secrets: ReadonlySet<string>): string[] => [...secrets].filter((secret) => /[^\w.~+/=-]/.test(secret));
