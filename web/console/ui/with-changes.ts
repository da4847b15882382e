/** What somebody changed of something they had read, on top of what it is by now; fields are alike that are the same as JSON. */
export function withChanges<T extends object>(read: T, changed: T, now: T): T {
  const fields = Object.keys({ ...read, ...changed }) as (keyof T)[];
  const own = fields.filter((field) => JSON.stringify(read[field]) !== JSON.stringify(changed[field]));
  return { ...now, ...Object.fromEntries(own.map((field) => [field, changed[field]])) };
}
