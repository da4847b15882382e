import { automationPhrases } from './automation-phrases.ts';
import { ssoPhrases } from './sso-phrases.ts';

/**
 * English sentences of the agent that have no error code, with their German translation. `{placeholders}` stand for values;
 * the German text may leave some out. A sentence that is not here is shown in English and marked as English.
 */
export const phrases: Readonly<Record<string, string>> = {
  // Why a transfer waits.
  'Nobody is signed in. Sign in, and it goes on by itself.': 'Niemand ist angemeldet. Melden Sie sich an, dann geht es von selbst weiter.',
  'It waits for "{name}", which is due at {time}.': 'Wartet auf „{name}“; das soll bis {time:time} fertig sein.',
  'Paused for a while; it goes on by itself.': 'Für eine Weile angehalten; es geht von selbst weiter.',
  '{path} is being written to; it is sent when it is still.': 'In {path} wird noch geschrieben; gesendet wird sie, wenn sie ruht.',

  // What uses a folder.
  'the automation "{name}"': 'Automation „{name}“',
  'the mount {name}': 'Mount „{name}“',

  // Files of this machine.
  'the permission to read it is missing.': 'Das Recht, es zu lesen, fehlt.',
  'it is not there any more.': 'Es ist nicht mehr da.',
  'a folder on the way to it is not there any more.': 'Ein Ordner auf dem Weg dorthin ist nicht mehr da.',
  'the disk reports a read error.': 'Der Datenträger meldet einen Lesefehler.',
  'its path goes in circles.': 'Sein Pfad führt im Kreis.',
  'its disk does not answer. See whether the drive is connected, then try again.':
    'Sein Datenträger antwortet nicht. Prüfen Sie, ob das Laufwerk verbunden ist, und versuchen Sie es noch einmal.',
  'it is not a folder.': 'Es ist kein Ordner.',
  'it is not a folder. Choose another folder.': 'Es ist kein Ordner. Wählen Sie einen anderen.',
  'it is not a file any more.': 'Es ist keine Datei mehr.',
  'it is a symbolic link.': 'Es ist eine symbolische Verknüpfung.',
  'a file of this name is there already.': 'Eine Datei dieses Namens ist schon da.',
  "it is the system's own.": 'Es gehört dem System.',
  '{path} is not there any more. Put it back, or connect its drive again.':
    '{path} ist nicht mehr da. Legen Sie es zurück, oder verbinden Sie sein Laufwerk wieder.',
  'The folder {path} is not there any more. Put it back, or connect its drive again.':
    'Der Ordner {path} ist nicht mehr da. Legen Sie ihn zurück, oder verbinden Sie sein Laufwerk wieder.',
  '{path} cannot be read ({code}). Check its permissions, and that its drive is connected.':
    '{path} lässt sich nicht lesen ({code}). Prüfen Sie die Rechte und ob das Laufwerk verbunden ist.',
  '{path} cannot be written ({code}). Check that its folder is there and its permissions.':
    '{path} lässt sich nicht schreiben ({code}). Prüfen Sie, ob der Ordner da ist und welche Rechte er hat.',
  'There is no room left to write {path}. Free some; work goes on by itself.':
    'Für {path} ist kein Platz mehr. Schaffen Sie welchen, dann geht es von selbst weiter.',
  'The disk at {path} has too little room: {bytes} more bytes are needed. Free some; work goes on by itself.':
    'Auf dem Datenträger bei {path} ist zu wenig Platz: Es fehlen {bytes:size}. Schaffen Sie welchen, dann geht es von selbst weiter.',
  'The disk at {path} has too little room: {bytes} more bytes are needed beside the {promised} that other downloads will fill. Free some; work goes on by itself.':
    'Auf dem Datenträger bei {path} ist zu wenig Platz: Es fehlen {bytes:size} neben den {promised:size}, die andere Downloads noch füllen. Schaffen Sie welchen, dann geht es von selbst weiter.',
  '{path} exists already.': '{path} gibt es schon.',
  '{path} has changed since it was added. Wait until nothing writes to it, then try again.':
    '{path} hat sich geändert, seit sie hinzugefügt wurde. Warten Sie, bis nichts mehr hineinschreibt, und versuchen Sie es noch einmal.',

  // The network and the storage.
  'The storage does not answer. Check the network.': 'Der Speicher antwortet nicht. Prüfen Sie das Netz.',
  'The connection to the storage broke.': 'Die Verbindung zum Speicher ist abgerissen.',
  'The storage stopped: no byte moved for too long.': 'Der Speicher steht: Zu lange kam kein Byte mehr voran.',
  'it stopped answering, and no byte moved for too long': 'er antwortet nicht mehr, und zu lange kam kein Byte voran',
  'The storage cannot be reached: {cause}. Check the network.': 'Der Speicher ist nicht zu erreichen ({cause}). Prüfen Sie das Netz.',
  'Something on the way to the storage answered in its place, with status {status}.':
    'Auf dem Weg zum Speicher hat etwas anderes an seiner Stelle geantwortet, mit Status {status}.',
  'Something on the way to the service answered in its place, with status {status} and a page.':
    'Auf dem Weg zum Dienst hat etwas anderes an seiner Stelle geantwortet, mit Status {status} und einer Seite.',
  'an answer that is not of Longshore': 'eine Antwort, die nicht von Longshore ist',
  'an empty answer': 'eine leere Antwort',
  'The storage is busy.': 'Der Speicher ist ausgelastet.',
  'The storage is full.': 'Der Speicher ist voll.',
  'The storage is full. Nothing is lost; try again when some room has been made.':
    'Der Speicher ist voll. Nichts ist verloren; versuchen Sie es wieder, wenn Platz geschaffen ist.',
  'The file is no longer in the storage.': 'Die Datei ist nicht mehr im Speicher.',
  'The line damages data (once): what arrives is not what was sent. It goes on by itself; another network may help.':
    'Die Leitung beschädigt Daten (einmal): Was ankommt, ist nicht, was gesendet wurde. Es geht von selbst weiter; ein anderes Netz hilft vielleicht.',
  'The line damages data ({times} times): what arrives is not what was sent. It goes on by itself; another network may help.':
    'Die Leitung beschädigt Daten ({times}-mal): Was ankommt, ist nicht, was gesendet wurde. Es geht von selbst weiter; ein anderes Netz hilft vielleicht.',
  "Part {part} arrived at the storage with the same wrong bytes twice. Something on the way, or the storage's disk, always changes them. Try another network, and tell whoever runs the service.":
    'Teil {part} kam zweimal mit denselben falschen Bytes beim Speicher an. Etwas auf dem Weg oder der Datenträger des Speichers verändert sie immer. Versuchen Sie ein anderes Netz, und sagen Sie es dem Betreiber des Dienstes.',
  '{name} came twice with the same bytes, and they are not those that its sender sent. It is damaged in the storage. Ask the sender to send it again.':
    '{name} kam zweimal mit denselben Bytes, und es sind nicht die, die gesendet wurden. Im Speicher ist sie beschädigt. Bitten Sie den Absender, sie noch einmal zu senden.',

  // Links.
  'it is empty. Paste the whole link.': 'Er ist leer. Fügen Sie den ganzen Link ein.',
  'it is not a web address. It begins with https:// or http://.': 'Er ist keine Web-Adresse. Er beginnt mit https:// oder http://.',
  'its path does not end in /d/ and an id. Paste the whole link.':
    'Sein Pfad endet nicht mit /d/ und einer Kennung. Fügen Sie den ganzen Link ein.',
  'its end, ?secret=…, is missing. Paste the whole link.': 'Sein Ende, ?secret=…, fehlt. Fügen Sie den ganzen Link ein.',
  'its id is garbled. Paste it as the sender gave it.': 'Seine Kennung ist verstümmelt. Fügen Sie ihn so ein, wie Sie ihn bekommen haben.',

  // What a transfer does not allow.
  'It is over already, so it cannot be cancelled.': 'Sie ist schon vorbei, also lässt sie sich nicht abbrechen.',
  'It is not over yet: cancel it first.': 'Sie ist noch nicht vorbei: Brechen Sie sie zuerst ab.',
  'This {kind} is {state}, so it cannot be {done}.': 'Ihr Zustand lässt es nicht zu.',
  'The transfer was stopped.': 'Die Übertragung wurde angehalten.',
  'This is a download: it has nothing to finalize, unless some of its files failed and others are there.':
    'Das ist ein Download: Da gibt es nichts abzuschließen, außer wenn einige Dateien gescheitert und andere da sind.',
  'This upload is being finalized: it takes no more files.': 'Dieses Paket wird gerade abgeschlossen: Es nimmt keine Dateien mehr an.',
  'The field expiry lies in the past.': 'Das Ablaufdatum liegt in der Vergangenheit.',
  'The field due_at lies in the past.': 'Die Frist liegt in der Vergangenheit.',
  'At this speed it will be late.': 'So schnell wie jetzt wird es zu spät.',
  'It needs more than its share of the line to be in time: others wait for it.':
    'Um rechtzeitig fertig zu sein, braucht es mehr als seinen Anteil an der Leitung: Andere warten darauf.',
  'The deadline cannot be met: even with the whole line it takes too long.':
    'Die Frist ist nicht zu halten: Auch mit der ganzen Leitung dauert es zu lange.',
  'It is late: the deadline has passed.': 'Es ist zu spät: Die Frist ist vorbei.',
  'The allowed folders are given where the agent is started. Change them there, and start it again.':
    'Die erlaubten Ordner sind festgelegt, wo der Agent gestartet wird. Ändern Sie sie dort, und starten Sie ihn neu.',
  'The allowed folders are chosen at the agent’s own machine: on its page there, or where it is started.':
    'Die erlaubten Ordner wählt man am Rechner des Agenten: auf seiner Seite dort oder wo er gestartet wird.',

  ...ssoPhrases,
  ...automationPhrases,

  // What the agent wants the person to know.
  'No keychain of the operating system is used. Secrets are in the encrypted file {path}, whose key stands beside it: whoever can read the data folder can read them.':
    'Kein Schlüsselbund des Betriebssystems wird benutzt. Geheimnisse stehen in der verschlüsselten Datei {path}, ihr Schlüssel daneben: Wer den Datenordner lesen kann, kann auch sie lesen.',
  'No keychain of the operating system is used. Secrets are in the encrypted file {path}, opened by LONGSHORE_VAULT_KEY.':
    'Kein Schlüsselbund des Betriebssystems wird benutzt. Geheimnisse stehen in der verschlüsselten Datei {path}, geöffnet durch LONGSHORE_VAULT_KEY.',
};
