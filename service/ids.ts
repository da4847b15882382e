import { v7 } from 'uuid';

/** A new id: opaque, unguessable, and sortable by creation (UUIDv7). */
export function newId(): string {
  return v7();
}

const form = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

/** Whether a text has the form of our ids. If not, nothing with this id can exist. */
export function isId(text: string): boolean {
  return form.test(text);
}
