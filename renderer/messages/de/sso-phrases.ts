import { type SsoRefusal, ssoRefusals } from '#protocol/sso-refusals.ts';
import { ssoRefusals as inGerman } from '#ui/sso/de.ts';

const refusals = Object.entries(ssoRefusals).map(([code, english]) => [english, inGerman[code as SsoRefusal]]);

/** Of signing in through a company. */
export const ssoPhrases: Readonly<Record<string, string>> = {
  ...Object.fromEntries(refusals),
  'Nobody signed in in the browser in time. Begin again.': 'Im Browser hat sich niemand rechtzeitig angemeldet. Beginnen Sie neu.',
  'The sign-in was cancelled.': 'Die Anmeldung wurde abgebrochen.',
  'This code is wrong, was used already, or came too late. Begin the sign-in again.':
    'Dieser Code stimmt nicht, wurde schon benutzt oder kam zu spät. Beginnen Sie die Anmeldung neu.',
  'Signing in through your company was turned off meanwhile.': 'Die Anmeldung über Ihre Firma wurde inzwischen abgeschaltet.',
};
