export type JsonRecord = Readonly<Record<string, unknown>>;

/** An answer's JSON object; throws `noSense()` if it is anything else. */
export function recordIn(bytes: Buffer, noSense: () => Error): JsonRecord {
  try {
    const value: unknown = JSON.parse(bytes.toString());
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as JsonRecord;
  } catch {
    // Told below: the bytes may hold a secret.
  }
  throw noSense();
}
