import { randomBytes } from 'node:crypto';
import { newId } from '../ids.ts';

/** What a new link is known by: its id, and a secret of 256 random bits. */
export function newLink(): { readonly id: string; readonly secret: string } {
  return { id: newId(), secret: randomBytes(32).toString('base64url') };
}
