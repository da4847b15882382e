import type { SameShape } from '#ui/locale.ts';
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
