import type { Words } from '../en/download.ts';
import { de as common } from './common.ts';

export const de: Words = {
  ...common,
  pageTitle: (name) => `${name} herunterladen`,
  plainTitle: 'Herunterladen',
  folders: (n, one) => `${n} ${one ? 'Ordner' : 'Ordnern'}`,

  opening: 'Der Link wird geöffnet …',
  incomplete: {
    title: 'Dieser Link ist nicht vollständig',
    text: 'Ein Teil fehlt, wie es geschieht, wenn eine E-Mail eine lange Zeile umbricht. Kopieren Sie ihn ganz und öffnen Sie ihn noch einmal.',
  },
  unknown: {
    title: 'Dieser Link führt nirgendwohin',
    text: 'Vielleicht ist er vertippt oder abgeschnitten. Kopieren Sie ihn ganz und öffnen Sie ihn noch einmal, oder bitten Sie um einen neuen.',
  },
  expired: { title: 'Dieser Link ist abgelaufen', text: 'Bitten Sie den Absender um einen neuen.' },
  packageExpired: {
    title: 'Diese Dateien gibt es nicht mehr',
    text: 'Ihre Zeit ist um, und sie sind gelöscht. Bitten Sie den Absender, sie noch einmal zu senden.',
  },
  disabled: { title: 'Dieser Link ist abgeschaltet', text: 'Sein Absender hat ihn abgeschaltet. Bitten Sie um einen neuen.' },
  usedUp: {
    title: 'Dieser Link ist verbraucht',
    text: 'Die Dateien wurden so oft heruntergeladen, wie der Absender erlaubt hat. Bitten Sie um einen neuen.',
  },
  unfinished: {
    title: 'Noch unterwegs',
    text: 'Der Absender ist noch nicht fertig. Derselbe Link geht, sobald alles gesendet ist.',
  },
  tooMany: { title: 'Zu viele Versuche', text: (time) => `Versuchen Sie es in ${time} noch einmal.` },

  password: {
    title: 'Dieser Link hat ein Passwort',
    text: 'Der Absender wird es Ihnen gesagt haben.',
    label: 'Passwort',
    open: 'Öffnen',
    opening: 'Wird geöffnet …',
    wrong: 'Dieses Passwort stimmt nicht. Groß- und Kleinbuchstaben sind verschieden.',
    tooMany: (time) => `Zu viele falsche Passwörter. Versuchen Sie es in ${time} noch einmal.`,
  },

  facts: {
    contents: (files, size) => `${files}, ${size}`,
    contentsInFolders: (files, folders, size) => `${files} in ${folders}, ${size}`,
    from: (sender) => `von ${sender}`,
    until: (day) => `Verfügbar bis ${day}`,
    empty: 'In diesem Paket sind keine Dateien, nur Ordner.',
  },
  virus: {
    notice: (files) => `Mit Virus: ${files}. Öffnen Sie nichts, was markiert ist, und sagen Sie dem Absender Bescheid.`,
    badge: 'Virus!',
  },

  get: {
    download: 'Herunterladen',
    starting: 'Es geht los …',
    zip: 'Alles als Zip herunterladen',
    zipFor: { zip_windows: 'für Windows und Linux', zip_mac: 'für macOS' },
    failed: (reason) => `Das Herunterladen hat nicht begonnen. ${reason}`,
  },

  tree: {
    label: 'Dateien',
    search: 'Dateien und Ordner suchen',
    found: (files) => `Gefunden: ${files}`,
    none: 'Nichts heißt so.',
    openAll: 'Alle Ordner öffnen',
    closeAll: 'Alle Ordner schließen',
    emptyFolder: 'Leerer Ordner',
    downloadFile: (path) => `${path} herunterladen`,
    previewFile: (path) => `${path} ansehen`,
  },

  ways: {
    title: 'Andere Wege',
    otherZip: (system) => `Zip-Datei ${system}`,
    otherZipText: 'Dieselben Dateien, mit Namen, wie dieses System sie schreibt.',
    app: 'Longshore-App',
    appText: 'Lädt im Hintergrund und macht nach einem Neustart von selbst weiter.',
    openApp: 'In der App öffnen',
    unanswered: 'Nichts ist aufgegangen? Dann ist die Longshore-App nicht auf diesem Rechner. Alle anderen Wege gehen ohne sie.',
    command: 'Kommandozeile',
    commandText: 'Auf einem Server oder in einem Skript:',
    link: 'Dieser Link',
    linkText: 'Wer ihn hat, bekommt die Dateien.',
    copy: 'Kopieren',
    copyCommand: 'Befehl kopieren',
    copyLink: 'Link kopieren',
    copied: 'Kopiert',
    notCopied: 'Drücken Sie Strg+C oder ⌘C, um das Markierte zu kopieren.',
  },

  preview: {
    loading: 'Wird geladen …',
    close: 'Schließen',
    previous: 'Vorige Datei',
    next: 'Nächste Datei',
    place: (place, all) => `${place} von ${all}`,
    cut: (size) => `Das ist ihr Anfang, ${size}. Laden Sie sie herunter, um alles zu sehen.`,
    empty: 'Diese Datei ist leer.',
    cannotShow: 'Dieser Browser kann diese Datei nicht zeigen. Laden Sie sie herunter, um sie anzusehen.',
    failed: (reason) => `Sie konnte nicht geladen werden. ${reason}`,
    text: (name) => `Inhalt von ${name}`,
    picture: (name) => `Bild ${name}`,
  },

  save: {
    choose: 'In einen Ordner speichern …',
    hint: 'Speichert jede Datei in ihrem Ordner, prüft jedes Byte und macht nach einer Unterbrechung weiter.',
    unfinished: {
      title: 'Sie haben noch nicht alles gespeichert',
      what: (done, files, size) => `Gespeichert: ${done} von ${files} (${size}).`,
    },
    goOn: 'Weitermachen',
    forget: 'Dabei belassen',
    elsewhere: 'Es wird in einem anderen Tab gespeichert.',
    refused: 'Der Browser durfte nicht in diesen Ordner schreiben. Wählen Sie ihn noch einmal, oder einen anderen.',
    cannotStart: (reason) => `Das Speichern konnte nicht beginnen. ${reason}`,
    saving: (folder) => `Wird in „${folder}“ gespeichert`,
    paused: (folder) => `Das Speichern in „${folder}“ ist angehalten`,
    offline: 'Keine Verbindung. Sobald es eine gibt, geht es von selbst weiter.',
    done: (folder) => `Alles in „${folder}“ gespeichert`,
    doneWithout: (folder) => `In „${folder}“ gespeichert, aber nicht alles`,
    checked: 'Jedes Byte ist geprüft: Die Dateien sind, wie sie gesendet wurden.',
    checkedBut: (files) => `Alles, was sich prüfen ließ, ist, wie es gesendet wurde. Ohne Prüfsumme kamen: ${files}.`,
    progress: (done, total) => `${done} von ${total}`,
    filesDone: (done, files) => `${done} von ${files}`,
    speed: (size) => `${size}/s`,
    left: (time) => `noch etwa ${time}`,
    pause: 'Anhalten',
    stayOpen: 'Lassen Sie diesen Tab offen. Geht er doch zu, öffnen Sie diesen Link wieder: Es geht dort weiter, wo es war.',
    notKept:
      'Dieser Browser vermerkt hier nichts. Lassen Sie diesen Tab offen: Nach einem Neuladen müssten Sie den Ordner noch einmal wählen.',
    stuck: (files) => `Nicht gespeichert: ${files}.`,
    retryAll: 'Noch einmal versuchen',
    renamed: (files) => `${files}: Der Name war schon vergeben und hat eine Nummer bekommen.`,
    close: 'Schließen',
    halted: {
      full: 'Der Datenträger ist voll. Schaffen Sie Platz und machen Sie dann weiter.',
      refused: 'Der Browser darf nicht mehr in diesen Ordner schreiben. Machen Sie weiter, um es wieder zu erlauben.',
      gone: 'Den Ordner gibt es nicht mehr. Legen Sie ihn zurück, oder wählen Sie einen anderen.',
      credential: 'Dieser Link gibt nichts mehr her. Bitten Sie den Absender um einen neuen.',
      expired: 'Der Link ist inzwischen zu Ende. Bitten Sie den Absender um einen neuen.',
    },
    faults: {
      damaged:
        'Sie kam zweimal mit anderen Bytes, als gesendet wurden, und wurde nicht behalten. Bitten Sie den Absender, sie noch einmal zu senden',
      missing: 'Sie ist nicht mehr im Speicher. Bitten Sie den Absender, sie noch einmal zu senden',
      name: 'Der Browser schreibt keine Dateien dieses Namens. Laden Sie sie einzeln oder im Zip herunter',
      blocked: 'Der Browser hat sie als gefährlich zurückgehalten',
      virus: 'Sie hat einen Virus und wurde weggelassen',
      unwritable: 'Sie ließ sich nicht schreiben. Schließen Sie Programme, die sie offen haben',
      other: (message) => `Der Dienst sagt: ${message}`,
    },
  },
};
