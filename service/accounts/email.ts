import { IsEmail } from 'typebox/format';

/** Whether sign-in takes it as an e-mail address: of the plain form, `mia@example.com`. */
export function isEmail(text: string): boolean {
  return text.length <= 254 && IsEmail(text) && /^[^"@]+@[^[@]+\.[^[@]+$/.test(text);
}
