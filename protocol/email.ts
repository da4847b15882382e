import { limits } from './limits.ts';

const address = /^[^\s\p{Cc}@<>"(),:;\\]+@[^\s\p{Cc}@<>"(),:;\\]+\.[^\s\p{Cc}@<>"(),:;\\]+$/u;

/** Whether a text looks like one e-mail address: enough to catch typing errors. A failed delivery shows the rest. */
export function isEmailAddress(text: string): boolean {
  return text.length <= limits.emailLength && address.test(text);
}
