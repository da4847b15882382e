import type { Messages } from '../shape.ts';

const count = (n: string, one: boolean, single: string, many: string): string => `${n} ${one ? single : many}`;

export const app: Messages['app'] = {
  files: (n, one) => count(n, one, 'Datei', 'Dateien'),
  aboutLongshore: 'Über Longshore',
  tryAgain: 'Noch einmal versuchen',
  tryNow: 'Jetzt versuchen',
  close: 'Schließen',
  cancel: 'Abbrechen',
  lose: { question: 'Was Sie ausgefüllt haben, verwerfen?', lose: 'Verwerfen', stay: 'Offen lassen' },
  loading: 'Wird geladen …',

  nav: {
    label: 'Bereiche',
    transfers: 'Übertragungen',
    needs: 'Braucht Sie',
    // All five stand in one row of a phone of 320 px.
    automations: 'Automatik',
    history: 'Verlauf',
    settings: 'Einstellungen',
    about: 'Über',
  },
  skip: 'Zum Inhalt springen',
  send: 'Dateien senden',
  get: 'Dateien abholen',

  connecting: 'Verbindung zum Agenten wird aufgebaut …',
  noAnswer: {
    title: 'Der Agent antwortet nicht',
    starting: 'Vielleicht startet er gerade noch.',
    retries: 'Diese Seite versucht es von selbst weiter.',
  },
  offline: {
    shows: 'Es erscheint hier, sobald der Agent antwortet.',
    title: 'Keine Verbindung zum Agenten.',
    text: 'Was hier steht, kann veraltet sein. Übertragungen gehen von selbst weiter, sobald er wieder läuft.',
    retries: 'Neuer Versuch …',
  },
  agent: {
    running: 'Agent läuft',
    away: 'Agent nicht verbunden',
    notices: (n, one) => count(n, one, 'Hinweis', 'Hinweise'),
  },
  unreachable: {
    title: (names, one) => `${names} ${one ? 'ist' : 'sind'} nicht zu erreichen.`,
    waits: (n, one) => `${count(n, one, 'Übertragung wartet', 'Übertragungen warten')} und ${one ? 'geht' : 'gehen'} von selbst weiter.`,
    nothingWaits: 'Keine Übertragung wartet darauf.',
    since: (moment) => `Seit ${moment}.`,
    next: (seconds) => `Nächster Versuch in ${seconds} s`,
    now: 'Neuer Versuch …',
    short: 'Dienst nicht erreichbar',
  },
  faults: {
    offline: 'Der Agent antwortet nicht. Prüfen Sie, ob er auf seinem Rechner noch läuft.',
    status: (status) => `Der Agent hat mit dem Status ${status} geantwortet.`,
  },
};
