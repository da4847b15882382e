import type { SameShape } from '#ui/locale.ts';
import type { en } from '../../en/console/sign-in.ts';

export const de: SameShape<typeof en> = {
  title: 'Anmelden',
  ended: 'Sie wurden abgemeldet: Diese Sitzung wurde anderswo beendet, oder ihre Zeit ist um. Melden Sie sich an, um weiterzumachen.',
  email: 'E-Mail-Adresse',
  password: 'Passwort',
  signIn: 'Anmelden',
  signingIn: 'Einen Moment …',
  forgot: 'Passwort vergessen?',
  wrong: 'Die E-Mail-Adresse oder das Passwort ist falsch.',
  secondFactor:
    'Dieses Konto hat einen zweiten Faktor. Geben Sie einen Code Ihrer Authenticator-App oder einen Wiederherstellungscode ein, oder nehmen Sie einen Passkey.',
  code: 'Code',
  codeWrong: 'Dieser Code stimmt nicht oder wurde schon benutzt. Nehmen Sie den, der jetzt angezeigt wird.',
  passkey: 'Mit Passkey anmelden',
  company: 'Über die Firma anmelden',
  passkeyRefused: 'Der Passkey wurde nicht benutzt oder gehört hier zu keinem Konto.',
  missing: 'Geben Sie E-Mail-Adresse und Passwort ein.',
};
