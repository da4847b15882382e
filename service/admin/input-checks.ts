import { limits } from '#protocol/limits.ts';
import { hasBidiControl, isBlank } from '#protocol/names.ts';
import { isEmail } from '../accounts/email.ts';
import { generatePassword } from '../accounts/passwords.ts';
import { AdminError } from './admin-error.ts';

/** Validation of an operator's input, with the same rules as the API. Errors: `AdminError` with `invalid`. */

export function checkName(whose: 'Team' | 'user', name: string): void {
  // The database cannot store NUL in text; other control characters would garble lists.
  if (isBlank(name) || hasBidiControl(name) || name.length > limits.nameLength || /\p{Cc}/u.test(name)) {
    throw new AdminError(
      'invalid',
      `The ${whose}'s name must have 1 to ${limits.nameLength} characters, on one line, and nothing that turns the direction of text.`,
    );
  }
}

export function checkEmail(email: string): void {
  if (!isEmail(email)) throw new AdminError('invalid', `${email} is not an e-mail address. Give it like mia@example.com.`);
}

export interface InitialPassword {
  readonly password: string;
  readonly generated: boolean;
}

/** The given password, or a generated one. */
export function givenOrGeneratedPassword(given: string | undefined): InitialPassword {
  if (given === undefined) return { password: generatePassword(), generated: true };
  const { min, max } = limits.passwordLength;
  if (given.length < min || given.length > max) throw new AdminError('invalid', `The password must have ${min} to ${max} characters.`);
  return { password: given, generated: false };
}

/** Validates all given fields of a person who may be new. */
export function checkInitialUser(email: string, name: string | undefined, password: string | undefined): InitialPassword {
  checkEmail(email);
  if (name !== undefined) checkName('user', name);
  return givenOrGeneratedPassword(password);
}
