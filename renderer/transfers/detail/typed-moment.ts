/** A moment as a `datetime-local` field has it, in this machine's time zone: `2026-11-20T18:00`. */
export function typedMoment(iso: string): string {
  const at = new Date(iso);
  const two = (number: number): string => String(number).padStart(2, '0');
  return `${at.getFullYear()}-${two(at.getMonth() + 1)}-${two(at.getDate())}T${two(at.getHours())}:${two(at.getMinutes())}`;
}

/** The deadline that was typed: `null` for an empty field, `undefined` for what is no time or does not lie ahead. */
export function dueAtOf(text: string, now: number): string | null | undefined {
  if (text === '') return null;
  const at = new Date(text);
  return at.getTime() > now ? at.toISOString() : undefined;
}
