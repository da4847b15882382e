import type { Sentence } from './sentence.ts';

/** Why storage behind a gateway is not reached, as the service and the gateway's agent say it. */
export const gateways: readonly Sentence[] = [
  [/^No storage gateway is connected to it$/, 'Es gibt kein Storage-Gateway dazu'],
  [/^Its storage gateway has no folder for it$/, 'Das Storage-Gateway hat keinen Ordner dafür'],
  [
    /^Add one there, by its page or by "longshore mount add"$/,
    'Fügen Sie dort einen hinzu, auf seiner Seite oder mit „longshore mount add“',
  ],
  [/^Its storage gateway does not answer$/, 'Das Storage-Gateway antwortet nicht'],
  [
    /^See that its machine is on, has a network, and runs the agent$/,
    'Sehen Sie nach, ob sein Rechner an ist, ein Netz hat und der Agent dort läuft',
  ],
  [/^Its folder cannot be reached$/, 'Der Ordner ist nicht erreichbar'],
  [/^The storage gateway did not say why$/, 'Das Storage-Gateway hat nicht gesagt, warum'],
  [/^The transfer was cancelled$/, 'Die Übertragung wurde abgebrochen'],
  [/^The storage gateway waits, and did not say for what$/, 'Das Storage-Gateway wartet und hat nicht gesagt, worauf'],
  [/^The storage gateway gave up, and did not say why$/, 'Das Storage-Gateway hat aufgegeben und nicht gesagt, warum'],
  [/^See its log$/, 'Sehen Sie in sein Protokoll'],
  [
    /^The storage gateway began this transfer again and again, and nothing of it arrived$/,
    'Das Storage-Gateway hat diese Übertragung immer wieder begonnen, und nichts davon kam an',
  ],
  [/^Its storage gateway gave another answer than that$/, 'Das Storage-Gateway hat etwas anderes geantwortet'],
  [/^The storage gateway says that everything is there$/, 'Das Storage-Gateway sagt, dass alles da ist'],
  [/^Of (\d+) files with (\d+) bytes only (\d+) with (\d+) have arrived$/, 'Von $1 Dateien mit $2 Byte kamen nur $3 mit $4 Byte an'],
  [/^(\d+) files are not finalized yet$/, 'Noch nicht fertig: $1 Dateien'],
  [
    /^The package holds (\d+) finalized files with (\d+) bytes, and (\d+) with (\d+) were told$/,
    'Das Paket hat $1 fertige Dateien mit $2 Byte, gemeldet wurden $3 mit $4 Byte',
  ],
  // What the agent says of its mount.
  [/^The folder is being looked at$/, 'Der Ordner wird gerade geprüft'],
  [/^The folder (.+) is not there$/, 'Der Ordner $1 ist nicht da'],
  [/^Connect its drive, or put the folder back$/, 'Schließen Sie sein Laufwerk an, oder legen Sie den Ordner zurück'],
  [/^(.+) is not a folder any more$/, '$1 ist kein Ordner mehr'],
  [
    /^The folder (.+) has no file (\S+): its drive is probably not mounted$/,
    'Im Ordner $1 fehlt die Datei $2: Sein Laufwerk ist wohl nicht eingehängt',
  ],
  [
    /^Mount it; if the folder was cleared on purpose, choose it anew for this mount$/,
    'Hängen Sie es ein; wurde der Ordner mit Absicht geleert, wählen Sie ihn für diesen Mount neu',
  ],
  [/^The folder (.+) belongs to another mount \((.+)\)$/, 'Der Ordner $1 gehört zu einem anderen Mount ($2)'],
  [/^Another drive may be mounted there$/, 'Vielleicht ist dort ein anderes Laufwerk eingehängt'],
  [/^The folder (.+) is empty: its drive is probably not mounted$/, 'Der Ordner $1 ist leer: Sein Laufwerk ist wohl nicht eingehängt'],
  [/^The disk of (.+) is full$/, 'Der Datenträger von $1 ist voll'],
  [/^Make room on it$/, 'Schaffen Sie dort Platz'],
  [/^The disk of (.+) is read-only$/, 'Der Datenträger von $1 ist nur lesbar'],
  [
    /^Mount it for writing, or set the mount to read-only$/,
    'Hängen Sie ihn zum Schreiben ein, oder stellen Sie den Mount auf „nie schreiben“',
  ],
  [/^The agent may not write to (.+)$/, 'Der Agent darf nicht nach $1 schreiben'],
  [
    /^Give its user the right to, or set the mount to read-only$/,
    'Geben Sie seinem Benutzer das Recht, oder stellen Sie den Mount auf „nie schreiben“',
  ],
  [
    /^The agent's user has used up its share of the disk of (.+)$/,
    'Der Benutzer des Agenten hat seinen Anteil am Datenträger von $1 verbraucht',
  ],
  [/^Make room on it, or raise the quota$/, 'Schaffen Sie dort Platz, oder erhöhen Sie das Kontingent'],
  [/^The drive of (.+) is not connected any more$/, 'Das Laufwerk von $1 ist nicht mehr verbunden'],
  [/^Connect it again$/, 'Verbinden Sie es wieder'],
  [/^The drive of (.+) was exchanged at its server$/, 'Das Laufwerk von $1 wurde an seinem Server ausgetauscht'],
  [/^Mount it again$/, 'Hängen Sie es neu ein'],
  [/^The server of (.+) does not answer$/, 'Der Server von $1 antwortet nicht'],
  [/^The folder (.+) does not answer$/, 'Der Ordner $1 antwortet nicht'],
  [/^Check its server and the network; it goes on by itself$/, 'Prüfen Sie seinen Server und das Netz; es geht von selbst weiter'],
  [/^The process of this mount ends again and again$/, 'Der Prozess dieses Mounts endet immer wieder'],
  [/^The log of the agent says more$/, 'Im Protokoll des Agenten steht mehr'],
  [/^The process of this mount has ended; it is started again$/, 'Der Prozess dieses Mounts hat geendet; er wird neu gestartet'],
  [/^The agent stops$/, 'Der Agent wird beendet'],
  [/^Other bytes were read than written$/, 'Gelesen wurden andere Bytes als geschrieben'],
  [/^Check the disk$/, 'Prüfen Sie den Datenträger'],
  [
    /^This mount is read-only(?: by its setting)?: files are collected from it, and none delivered$/,
    'Dieser Mount wird nie beschrieben: Aus ihm wird geholt, in ihn nichts geliefert',
  ],
  [
    /^(.+) is the folder of another mount already, of this agent or another one$/,
    '$1 ist schon der Ordner eines anderen Mounts, von diesem Agenten oder einem anderen',
  ],
  [
    /^Remove that mount; if it is no longer there, delete the file (\S+) in the folder$/,
    'Entfernen Sie jenen Mount; gibt es ihn nicht mehr, löschen Sie in dem Ordner die Datei $1',
  ],
  [
    /^A file has another name there, since the disk cannot hold the one in the package$/,
    'Eine Datei heißt dort anders, da der Datenträger ihren Namen im Paket nicht speichern kann',
  ],
  [
    /^(\d+) files have another name there, since the disk cannot hold the one in the package$/,
    '$1 Dateien heißen dort anders, da der Datenträger ihre Namen im Paket nicht speichern kann',
  ],
];
