import { randomBytes } from 'node:crypto';
import { newId } from '../ids.ts';

/** The identity of a new link: its id, and a secret of 256 random bits. */
export function newLink(): { readonly id: string; readonly secret: string } {
  return { id: newId(), secret: randomBytes(32).toString('base64url') };
}
