import { unsetDateTime } from '#protocol/limits.ts';

/** A date-time on the wire; null is the zero date-time. */
export function toWire(at: Date | null): string {
  return at ? at.toISOString() : unsetDateTime;
}

/** A date-time from the wire; absent and the zero date-time are null. */
export function fromWire(text: string | undefined): Date | null {
  if (text === undefined) return null;
  const at = new Date(text);
  return at.getTime() <= new Date(unsetDateTime).getTime() ? null : at;
}
