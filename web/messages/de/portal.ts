import { de as form } from '#ui/form/messages/de.ts';
import type { Messages } from '../en/portal.ts';
import { de as common } from './common.ts';

export const de: Messages = {
  ...common,
  pageTitle: (portal) => `Dateien senden an ${portal}`,
  plainTitle: 'Dateien senden',

  portalMessage: 'Nachricht dieser Seite',
  opening: 'Die Seite wird geöffnet …',
  notLoaded:
    'Ein Teil dieser Seite ließ sich nicht laden. Prüfen Sie die Verbindung und versuchen Sie es noch einmal. Hilft das nicht, laden Sie die Seite neu.',
  missing: {
    title: 'Diese Seite gibt es nicht',
    text: 'Vielleicht ist die Adresse vertippt, oder die Seite wurde endgültig geschlossen. Fragen Sie, wer sie Ihnen gegeben hat.',
  },
  inactive: { title: 'Diese Seite nimmt gerade nichts an', text: 'Sie wurde abgeschaltet. Fragen Sie, wann sie wieder öffnet.' },
  expired: {
    title: 'Diese Seite ist geschlossen',
    text: (day) => `Sie nahm Dateien bis ${day} an. Bitten Sie um eine neue Adresse.`,
  },
  teamInactive: { title: 'Diese Seite nimmt gerade nichts an', text: 'Das Konto dahinter ist nicht aktiv. Sagen Sie bitte dort Bescheid.' },

  code: {
    title: 'Diese Seite hat einen Zugangscode',
    text: 'Wer Sie um Dateien gebeten hat, wird ihn Ihnen genannt haben.',
    label: 'Zugangscode',
    show: 'Code zeigen',
    open: 'Öffnen',
    opening: 'Wird geöffnet …',
    wrong: 'Dieser Zugangscode ist falsch. Groß- und Kleinbuchstaben sind verschieden.',
    tooMany: (time) => `Zu viele falsche Codes. Versuchen Sie es in ${time} noch einmal.`,
  },

  rules: {
    title: 'Was diese Seite annimmt',
    until: (day) => `Geöffnet bis ${day}`,
  },

  choose: {
    title: 'Dateien',
    drop: 'Dateien und Ordner hierher ziehen',
    dropNow: 'Loslassen, um sie hinzuzufügen',
    files: 'Dateien wählen',
    folder: 'Einen Ordner wählen',
    reading: 'Die Ordner werden durchgesehen …',
    unreadable: (files, first) => `${files} nicht lesbar, daher nicht dabei, zum Beispiel ${first}.`,
    nothing: 'Da war nichts hinzuzufügen.',
  },

  list: {
    label: 'Gewählte Dateien',
    sum: (files, size) => `${files}, ${size}`,
    remove: (name) => `${name} entfernen`,
    clear: 'Alle entfernen',
    emptyFolder: 'Leerer Ordner',
    removeFaulty: (files) => `Nicht Sendbares entfernen: ${files}`,
    faults: {
      type: 'Diese Art ist hier nicht erlaubt',
      too_large: 'Zu groß für diese Seite',
      name: 'Bitte umbenennen: Nicht jedes System kann diesen Namen speichern',
      clash: 'Heißt wie eine andere, nur anders groß und klein geschrieben',
    },
    faulty: (files) => `Nicht sendbar: ${files}. Entfernen Sie, was markiert ist.`,
    tooMany: (most, have) => `Diese Seite nimmt höchstens ${most} an, und Sie haben ${have} gewählt.`,
    tooMuch: (most, have) => `Diese Seite nimmt zusammen höchstens ${most} an, und Sie haben ${have} gewählt.`,
  },

  details: {
    title: 'Angaben dazu',
    sender: 'Ihre E-Mail-Adresse',
    senderHint: 'Damit klar ist, von wem die Dateien sind.',
    name: 'Name des Pakets',
    nameHint: 'Was zuerst zu sehen ist, etwa „Muster, Tag 12“.',
    namePattern: (example) => `Wie ${example}`,
    description: 'Nachricht',
  },
  form: { ...form, readonly: '(von der Seite vorgegeben)' },
  invalid: {
    noFiles: 'Wählen Sie mindestens eine Datei.',
    terms: 'Bitte stimmen Sie erst den Bedingungen zu.',
    name: (example) => `Diese Seite nimmt Namen wie ${example}.`,
    summary: 'Etwas fehlt oder stimmt nicht. Es ist markiert.',
  },
  send: (files, size) => `${files} senden, ${size}`,
  sendNothing: 'Senden',
  starting: 'Es geht los …',

  handOver: {
    title: 'Sehr groß, oder eine wackelige Leitung?',
    text: 'Die Longshore-App sendet im Hintergrund und macht nach einem Neustart von selbst weiter.',
    open: 'In der Longshore-App öffnen',
    unanswered: (canGet) =>
      `Keine App hat sich geöffnet? Dann ist Longshore noch nicht auf diesem Rechner: ${canGet ? 'Holen Sie sich die App' : 'Fragen Sie danach, von wem Sie diese Adresse haben'}, installieren Sie sie und drücken Sie noch einmal auf den Knopf. Oder senden Sie gleich hier: Auch diese Seite macht nach einer Unterbrechung weiter.`,
    getApp: 'App holen',
  },

  unfinished: {
    title: 'Sie sind noch nicht fertig',
    what: (name, files, size, day) => `„${name}“: ${files}, ${size}, begonnen ${day}`,
    goOn: 'Weitermachen',
    discard: 'Verwerfen',
    discardSure: 'Endgültig verwerfen?',
    keep: 'Behalten',
    elsewhere: 'Es wird in einem anderen Tab gesendet.',
  },

  sending: {
    title: (name) => `„${name}“ wird gesendet`,
    paused: (name) => `„${name}“ ist angehalten`,
    offline: 'Keine Verbindung. Sobald es eine gibt, geht es von selbst weiter.',
    serviceFull: {
      title: 'Der Speicher ist voll.',
      text: 'Sobald wieder Platz ist, geht es von selbst weiter. Sagen Sie bitte dem Betreiber dieser Seite Bescheid, und lassen Sie diesen Tab offen.',
    },
    stuck: (files) => `Nicht durchgekommen: ${files}. Alles andere ist gesendet.`,
    stuckText: 'Versuchen Sie es noch einmal, oder schließen Sie ohne sie ab.',
    waiting: (name) => `„${name}“ wartet auf Sie`,
    missing: (files) => `Noch einmal zu wählen: ${files}.`,
    missingText:
      'Dieser Browser behält Dateien nicht, wenn die Seite neu geladen wird. Wählen Sie dieselben Dateien oder Ordner: Was schon gesendet ist, wird nicht noch einmal gesendet.',
    changedText:
      'Sie wurden geändert oder sind weg, seit Sie sie gewählt haben. Wählen Sie sie, wie sie jetzt sind, oder lassen Sie sie weg.',
    closing: 'Alles ist gesendet. Das Paket wird geschlossen …',
    failed: 'So geht es nicht weiter',
    progress: (sent, total) => `${sent} von ${total}`,
    filesDone: (done, files) => `${done} von ${files}`,
    speed: (size) => `${size}/s`,
    left: (time) => `noch etwa ${time}`,
    pause: 'Anhalten',
    goOn: 'Weitermachen',
    retryAll: 'Alle noch einmal versuchen',
    retry: (name) => `Noch einmal: ${name}`,
    retryShort: 'Noch einmal',
    leaveOut: (name) => `Weglassen: ${name}`,
    leaveOutShort: 'Weglassen',
    leaveOutAll: 'Ohne sie abschließen',
    chooseAgain: 'Dateien noch einmal wählen',
    chooseFolderAgain: 'Ordner noch einmal wählen',
    noMatch: 'Keine davon gehört zu den fehlenden Dateien.',
    stayOpen: 'Lassen Sie diesen Tab offen. Geht er doch zu, öffnen Sie diese Seite wieder: Es geht dort weiter, wo es war.',
    notKept: {
      full: 'Dieser Browser hat keinen Platz mehr, um Gesendetes zu vermerken. Lassen Sie diesen Tab offen: Nach einem Neuladen müssten Sie von vorn beginnen.',
      unavailable:
        'Dieser Browser vermerkt hier nichts, wie in einem privaten Fenster. Lassen Sie diesen Tab offen: Nach einem Neuladen müssten Sie von vorn beginnen.',
    },
    list: 'Dateien dieses Pakets',
    all: 'Alle',
    problems: 'Mit Problemen',
    states: {
      waiting: 'Wartet',
      sending: 'Wird gesendet',
      sent: 'Gesendet',
      failed: 'Nicht gelungen',
      missing: 'Noch einmal wählen',
      left_out: 'Weggelassen',
    },
  },

  faults: {
    unreachable: 'Keine Verbindung',
    busy: 'Der Speicher ist beschäftigt',
    internal: 'Der Dienst hat einen Fehler gemacht',
    storage: 'Der Speicher nimmt sie nicht an',
    full: 'Der Speicher ist voll. Sagen Sie bitte dem Betreiber dieser Seite Bescheid',
    changed: 'Sie wurde geändert, seit Sie sie gewählt haben. Wählen Sie sie noch einmal',
    gone: 'Sie ist nicht mehr an ihrem Ort. Legen Sie sie zurück, oder wählen Sie sie noch einmal',
    unreadable: 'Der Browser kann sie nicht lesen. Wählen Sie sie noch einmal',
    corrupted: 'Sie kommt immer beschädigt an. Versuchen Sie ein anderes Netz',
    damaging: (times) => `Die Leitung beschädigt Daten (${times}-mal). Es geht von selbst weiter`,
    limit: 'Diese Seite nimmt sie nicht an',
    teamFull: 'Der Speicher des Teams ist voll. Nichts ist verloren: Bitten Sie seine Inhaber um Platz, dann versuchen Sie es noch einmal',
    portalFull:
      'Der Speicher dieses Portals ist voll. Nichts ist verloren: Bitten Sie das Team, das hier empfängt, um Platz, dann versuchen Sie es noch einmal',
    trafficUsed:
      'Das Team hat sein Datenvolumen dieses Monats verbraucht. Nichts ist verloren: Fragen Sie seine Inhaber, oder versuchen Sie es nächsten Monat',
    exists: 'Eine andere dieses Namens ist schon im Paket',
    closed: 'Diese Seite nimmt keine Dateien mehr an',
    expired: 'Das Paket ist abgelaufen. Beginnen Sie von vorn',
    credential: 'An dieses Paket kann nichts mehr gesendet werden. Beginnen Sie von vorn',
    tooFast: 'Der Dienst bittet um eine Pause',
    other: (message) => `Der Dienst sagt: ${message}`,
  },

  receipt: {
    title: 'Alles gesendet',
    text: 'Alles ist angekommen und geprüft. Sie können diesen Tab schließen.',
    name: 'Paket',
    reference: 'Kennung',
    sender: 'Von',
    to: 'An',
    contents: 'Inhalt',
    at: 'Gesendet',
    save: 'Quittung speichern',
    print: 'Drucken',
    more: 'Noch etwas senden',
    skipped: (files) => `Weggelassen: ${files}.`,
    list: 'Was gesendet wurde',
    file: 'Datei',
    size: 'Bytes',
    digest: 'Prüfsumme',
  },
};
