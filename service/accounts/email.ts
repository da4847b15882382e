import { IsEmail } from 'typebox/format';

/** Whether sign-in accepts the text as an e-mail address: only the plain form, `mia@example.com`. */
export function isEmail(text: string): boolean {
  return text.length <= 254 && IsEmail(text) && /^[^"@]+@[^[@]+\.[^[@]+$/.test(text);
}
