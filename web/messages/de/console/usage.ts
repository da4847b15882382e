import type { SameShape } from '#ui/locale.ts';
import type { en } from '../../en/console/usage.ts';

export const de: SameShape<typeof en> = {
  title: 'Nutzung',
  text: 'Was gesendet und empfangen wurde. Ohne Daten: die letzten 30 Tage.',
  team: 'Team',
  csv: 'Als CSV speichern',
  by: 'Für',
  groups: { member: 'Mitglied', teamspace: 'Teamspace', portal: 'Portal' },
  from: 'Von',
  to: 'Bis',
  tooLong: (days) => `Höchstens ${days} Tage auf einmal: Fragen Sie ein Jahr nach dem anderen ab.`,
  sent: 'Gesendet',
  received: 'Empfangen',
  bytes: 'Größe',
  downloaded: 'Heruntergeladen',
  notDownloaded: 'Nicht heruntergeladen',
  none: 'Keines davon mehr',
  empty: 'Nichts in dieser Zeit',
  emptyText: 'Pakete zählen ab dem Moment, in dem sie ganz gesendet waren.',
};
