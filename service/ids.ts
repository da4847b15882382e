import { v7 } from 'uuid';

/** A new id: opaque, unguessable, and sortable by creation (UUIDv7). */
export function newId(): string {
  return v7();
}

const form = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

/** Whether a text could be an id of ours. One that could not is of nothing that exists. */
export function isId(text: string): boolean {
  return form.test(text);
}
