import type { SameShape } from '#ui/locale.ts';
import { ssoRefusals } from '#ui/sso/de.ts';
import type { en } from '../../en/console/sso-sign-in.ts';

export const de: SameShape<typeof en> = {
  title: 'Über die Firma anmelden',
  text: 'Für alle, die ihre Firma anmeldet. Ihre E-Mail-Adresse führt zu deren Anmeldeseite.',
  email: 'E-Mail-Adresse',
  missing: 'Geben Sie Ihre E-Mail-Adresse in der Firma ein.',
  goOn: 'Weiter',
  leading: 'Einen Moment …',
  byPassword: 'Stattdessen mit Passwort anmelden',
  finishing: 'Ihre Firma hat geantwortet. Einen Moment …',
  failed: 'Sie sind nicht angemeldet',
  again: 'Neu beginnen',
  appTitle: 'Die Longshore-App anmelden',
  appText:
    'Eine Longshore-App auf diesem Rechner möchte über Ihre Firma für Sie angemeldet werden. Fahren Sie nur fort, wenn Sie das eben selbst begonnen haben.',
  appIncomplete: 'Diese Adresse ist unvollständig. Beginnen Sie in der App neu.',
  backToApp: 'Fertig. In der App geht es weiter; dieses Fenster können Sie schließen.',
  toApp: 'Zurück zur App',
  cancelApp: 'Abbrechen',
  theySay: 'Die Worte Ihrer Firma:',
  refusals: ssoRefusals,
  noneHere:
    'Für diese Adresse gibt es keine Anmeldung über eine Firma. Melden Sie sich mit Ihrem Passwort an, oder fragen Sie einen Inhaber Ihres Teams.',
  ends: {
    'This sign-in was begun in another browser, or more than ten minutes ago. Begin again.':
      'Diese Anmeldung wurde in einem anderen Browser begonnen oder vor mehr als zehn Minuten. Beginnen Sie neu.',
    'This answer belongs to another sign-in. Begin again.': 'Diese Antwort gehört zu einer anderen Anmeldung. Beginnen Sie neu.',
    'This sign-in has ended already. Begin again.': 'Diese Anmeldung ist schon zu Ende. Beginnen Sie neu.',
    'The settings of this sign-in were changed meanwhile. Begin again.':
      'Die Einstellungen dieser Anmeldung wurden inzwischen geändert. Beginnen Sie neu.',
    'Signing in through your company was turned off meanwhile.': 'Die Anmeldung über Ihre Firma wurde inzwischen abgeschaltet.',
  },
  trialTitle: 'Der Versuch ist durchgekommen',
  trialGood: 'Diese Person würde angemeldet. Geändert wurde nichts.',
  trialProblem: 'Der Anbieter hat geantwortet, aber diese Person käme nicht herein.',
  name: 'Name',
  verified: 'Adresse bestätigt',
  yes: 'Ja',
  no: 'Nein',
  groups: 'Gruppen',
  role: 'Rolle für Neue',
  subject: 'Bekannt als (sub)',
  nothing: 'Nichts',
  backToSettings: 'Zurück zu den Einstellungen',
};
