import type { SameShape } from '#ui/locale.ts';
import type { en } from '../../en/console/packages.ts';

const packages = (n: string, one: boolean): string => `${n} ${one ? 'Paket' : 'Pakete'}`;

export const de: SameShape<typeof en> = {
  title: 'Pakete',
  total: packages,
  send: 'Senden',
  list: 'Pakete',
  shown: { label: 'Welche Pakete', all: 'Alle', sent: 'Gesendet', received: 'Empfangen', expired: 'Abgelaufen', archived: 'Archiv' },
  search: 'Nach Namen suchen',
  sort: {
    label: 'Reihenfolge',
    '-created_at': 'Neueste zuerst',
    created_at: 'Älteste zuerst',
    name: 'Nach Namen',
    '-size': 'Größte zuerst',
    size: 'Kleinste zuerst',
    expiry: 'Läuft als Nächstes ab',
  },
  filter: {
    open: 'Filter',
    openSome: (n) => `Filter (${n})`,
    clear: 'Filter aufheben',
    any: 'Alle',
    sender: 'E-Mail des Absenders',
    portal: 'Portal',
    space: 'Teamspace',
    tag: 'Schlagwort',
    min: 'Mindestens (MB)',
    max: 'Höchstens (MB)',
    from: 'Angelegt ab',
    to: 'Angelegt bis',
  },
  row: {
    select: (name) => `${name} auswählen`,
    to: (names) => `an ${names}`,
    more: (n) => ` und ${n} weitere`,
    virus: 'Virus',
    held: 'Löschsperre',
    through: 'empfangen',
    expires: (when) => `läuft ${when} ab`,
    never: 'läuft nie ab',
    ended: (when) => `endete ${when}`,
  },
  empty: {
    all: 'Noch keine Pakete',
    ownText: 'Hier stehen Ihre eigenen Pakete, die Ihrer Teamspaces, und was durch die Portale aller kommt.',
    allText:
      'Hier steht, was Ihr Team sendet, und was durch seine Portale kommt. Senden Sie das erste Paket von hier oder mit der Longshore-App.',
    send: 'Das erste Paket senden',
    sent: 'Zurzeit ist nichts Gesendetes da',
    received: 'Noch ist nichts gekommen',
    receivedText: 'Legen Sie ein Portal an und geben Sie seine Adresse weiter, damit man Ihnen senden kann.',
    expired: 'Nichts ist abgelaufen',
    archived: 'Nichts ist archiviert',
    text: 'Pakete kommen von selbst hierher, wenn es so weit ist.',
    none: 'Kein Paket passt dazu',
    noneText: 'Suchen Sie nach etwas anderem, oder heben Sie die Filter auf.',
  },
  selected: (n, one) => `${packages(n, one)} ausgewählt`,
  selectAll: 'Alles Geladene auswählen',
  selectNone: 'Auswahl aufheben',
  act: { extend: 'Ablauf ändern', tag: 'Schlagwort setzen', archive: 'Archivieren', unarchive: 'Aus dem Archiv holen', remove: 'Löschen' },
  extend: {
    title: (one) => (one ? 'Wann soll es ablaufen?' : 'Wann sollen sie ablaufen?'),
    day: 'Aufbewahren bis Ende des',
    never: (one) => (one ? 'Nie: aufbewahren, bis es gelöscht wird' : 'Nie: aufbewahren, bis sie gelöscht werden'),
    missing: 'Wählen Sie einen Tag, der noch kommt.',
  },
  tag: {
    title: () => 'Schlagwort setzen',
    tag: 'Schlagwort',
    missing: 'Wählen Sie ein Schlagwort.',
    none: 'Es gibt noch kein Schlagwort.',
  },
  archive: {
    title: (one) => (one ? 'Paket archivieren?' : 'Pakete archivieren?'),
    text: (one) =>
      one
        ? 'Es verlässt die Liste der abgelaufenen. Man kann es wieder herausholen.'
        : 'Sie verlassen die Liste der abgelaufenen. Man kann sie wieder herausholen.',
  },
  unarchive: {
    title: (one) => (one ? 'Paket aus dem Archiv holen?' : 'Pakete aus dem Archiv holen?'),
    text: (one) => (one ? 'Es steht dann wieder unter den abgelaufenen.' : 'Sie stehen dann wieder unter den abgelaufenen.'),
  },
  remove: {
    title: (one) => (one ? 'Paket löschen?' : 'Pakete löschen?'),
    text: (one) =>
      one
        ? 'Seine Dateien werden jetzt gelöscht, und niemand kann sie mehr herunterladen. Sein Eintrag bleibt. Das lässt sich nicht rückgängig machen.'
        : 'Ihre Dateien werden jetzt gelöscht, und niemand kann sie mehr herunterladen. Ihre Einträge bleiben. Das lässt sich nicht rückgängig machen.',
  },
  bulk: {
    running: (done, all) => `${done} von ${all}`,
    stop: 'Anhalten',
    done: (n, one) => `Erledigt für ${packages(n, one)}.`,
    left: (n, one) => `Angehalten: ${packages(n, one)} ${one ? 'blieb' : 'blieben'}, wie ${one ? 'es ist' : 'sie sind'}.`,
    failed: (n, one) => `Es ging nicht bei ${n} ${one ? 'Paket' : 'Paketen'}:`,
  },
};
