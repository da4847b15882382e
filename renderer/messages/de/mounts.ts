import type { SameShape } from '#ui/locale.ts';
import type { mounts as en } from '../en/mounts.ts';

const count = (n: string, one: boolean, single: string, many: string): string => `${n} ${one ? single : many}`;

export const mounts: SameShape<typeof en> = {
  title: 'Mounts',
  text: 'Ordner dieses Rechners oder eines NAS in seinem Netz, in die ein Dienst liefert und aus denen er holt. Nach außen muss nichts offen sein: Der Agent fragt nach Arbeit.',
  empty: {
    title: 'Noch ist kein Ordner ein Mount.',
    steps: [
      'Wählen Sie hier einen Ordner, etwa eine Freigabe Ihres NAS.',
      'Er wird zu einer Cloud-Verbindung Ihres Teams.',
      'Geben Sie diese Verbindung einem Portal, dann landet im Ordner, was dort hochgeladen wird.',
    ],
  },
  signIn: 'Ein Mount gehört zu einem Team. Melden Sie sich an, um einen hinzuzufügen.',
  add: 'Mount hinzufügen',
  adding: 'Neuer Mount',
  making: 'Der Ordner wird geprüft …',
  make: 'Hinzufügen',

  team: 'Team',
  folder: 'Ordner',
  folderHint:
    'Er bekommt eine kleine Datei, .longshore-mount. Sie unterscheidet ihn vom leeren Ordner, den ein nicht eingehängtes Laufwerk hinterlässt.',
  connection: 'Cloud-Verbindung',
  connectionNew: 'Eine neue anlegen',
  connectionOf: (name, kind) => `${name} (${kind})`,
  connectionsLoading: 'Die Verbindungen des Teams werden gesucht …',
  name: 'Name der Verbindung',
  nameHint: 'Ohne Angabe der Name des Ordners.',
  kind: 'Art des Speichers',
  kinds: {
    storage_gateway: 'Beliebiges NAS oder SAN',
    desktop_sg: 'An einem Arbeitsplatz eingehängter Speicher',
    amazon_efs_sg: 'Amazon EFS',
    synology_sg: 'Synology',
    qnap_sg: 'QNAP',
    opendrives_sg: 'OpenDrives',
    jellyfish_sg: 'Jellyfish',
  },
  direction: 'Wofür er da ist',
  directions: { service_to_cloud: 'Pakete werden in ihn geliefert', cloud_to_service: 'Dateien werden aus ihm geholt' },
  short: { service_to_cloud: 'für Lieferungen', cloud_to_service: 'zum Abholen' },
  readOnly: 'Nie in diesen Ordner schreiben',
  readOnlyHint: 'Dann werden nur Dateien aus ihm geholt.',
  isReadOnly: 'nie beschrieben',

  states: { ok: 'Bereit', offline: 'Offline' },
  free: (size) => `${size} frei`,
  tasks: (n, one) => `${count(n, one, 'Übertragung', 'Übertragungen')} im Gang`,
  idle: 'nichts im Gang',
  copyId: 'ID kopieren',

  check: 'Prüfen',
  checkOf: (name) => `Prüfen: ${name}`,
  checking: 'Wird geprüft …',
  checked: 'Es klappt: Alles, was Übertragungen dort tun, gelang.',
  checkFailed: 'Es klappt noch nicht.',
  steps: {
    put: 'Eine kleine Datei schreiben',
    list: 'Den Ordner auflisten',
    get: 'Sie wieder lesen',
    abort: 'Halb Geschriebenes zurücknehmen',
    delete: 'Sie entfernen',
  },
  done: 'gelungen',
  failed: 'gescheitert',

  change: 'Ändern',
  changeOf: (name) => `Ändern: ${name}`,
  changeHint: 'Denselben Ordner zu speichern schreibt ein verlorenes .longshore-mount neu.',
  save: 'Speichern',
  saving: 'Der Ordner wird geprüft …',

  remove: 'Entfernen',
  removeOf: (name) => `Entfernen: ${name}`,
  sure: (name) => `${name} geht offline. Ordner, Dateien und Verbindung bleiben; was im Gang ist, wird abgelegt.`,
  removeNow: 'Jetzt entfernen',
  keep: 'Behalten',
};
