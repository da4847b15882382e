import type { Sentence } from '../sentence.ts';

/** Backblaze B2. */
export const backblaze: readonly Sentence[] = [
  [/^The application key is limited to other buckets$/, 'Der Anwendungsschlüssel ist auf andere Buckets beschränkt'],
  [
    /^Make one for this bucket and enter it, or correct the destination$/,
    'Legen Sie einen für diesen Bucket an, und geben Sie ihn ein, oder berichtigen Sie das Ziel',
  ],
  [/^The application key lacks the capability (\S+)$/, 'Dem Anwendungsschlüssel fehlt das Recht $1'],
  [/^Make one that has it, and enter it$/, 'Legen Sie einen an, der es hat, und geben Sie ihn ein'],
  [/^The application key lacks (.+)$/, 'Dem Anwendungsschlüssel fehlt: $1'],
  [
    /^Make one for the bucket that may read and write, and enter it$/,
    'Legen Sie für den Bucket einen an, der lesen und schreiben darf, und geben Sie ihn ein',
  ],
  [/^There is no bucket of this name in the account$/, 'In dem Konto gibt es keinen Bucket dieses Namens'],
  [
    /^This is the master application key, which may do everything in the whole account$/,
    'Das ist der Master Application Key, der im ganzen Konto alles darf',
  ],
  [/^Make an application key for this bucket$/, 'Legen Sie einen Anwendungsschlüssel für diesen Bucket an'],
  [/^The application key reaches all buckets of the account$/, 'Der Anwendungsschlüssel erreicht alle Buckets des Kontos'],
  [/^One for this bucket alone is enough$/, 'Einer für diesen Bucket allein genügt'],
  [
    /^The bucket is older than the S3-compatible API of Backblaze, so the native one is used$/,
    'Der Bucket ist älter als die S3-kompatible API von Backblaze, darum wird die native benutzt',
  ],
  [
    /^The application key is limited to names that begin with "(.+)"$/,
    'Der Anwendungsschlüssel ist auf Namen beschränkt, die mit „$1“ beginnen',
  ],
  [/^The target folder has to begin so$/, 'Der Zielordner muss so beginnen'],
  [/^The application key expires on (.+), in 1 day$/, 'Der Anwendungsschlüssel läuft am $1 ab, in einem Tag'],
  [/^The application key expires on (.+), in (\d+) days$/, 'Der Anwendungsschlüssel läuft am $1 ab, in $2 Tagen'],
  [/^Enter a new one before: without it deliveries stop$/, 'Geben Sie vorher einen neuen ein: Ohne ihn enden die Lieferungen'],
  [/^Backblaze no longer takes the token that it gave$/, 'Backblaze nimmt das Token nicht mehr an, das es ausgegeben hat'],
  [
    /^If signing in again does not help, make a new application key and enter it$/,
    'Hilft eine neue Anmeldung nicht, legen Sie einen neuen Anwendungsschlüssel an, und geben Sie ihn ein',
  ],
  [/^The storage cap of the Backblaze account is reached$/, 'Die Obergrenze des Backblaze-Kontos für Speicher ist erreicht'],
  [
    /^The daily cap for transactions of the Backblaze account is reached$/,
    'Die tägliche Obergrenze des Backblaze-Kontos für Transaktionen ist erreicht',
  ],
  [
    /^The daily cap for downloads of the Backblaze account is reached$/,
    'Die tägliche Obergrenze des Backblaze-Kontos für Downloads ist erreicht',
  ],
  [
    /^Raise it in the Backblaze console under Caps & Alerts or make room, then retry$/,
    'Erhöhen Sie sie in der Konsole von Backblaze unter Caps & Alerts, oder schaffen Sie Platz, und versuchen Sie es dann noch einmal',
  ],
  [
    /^Raise it in the Backblaze console under Caps & Alerts, or retry tomorrow$/,
    'Erhöhen Sie sie in der Konsole von Backblaze unter Caps & Alerts, oder versuchen Sie es morgen noch einmal',
  ],
  [/^The bucket is no longer there$/, 'Den Bucket gibt es nicht mehr'],
  [/^Make it, or correct the destination$/, 'Legen Sie ihn an, oder berichtigen Sie das Ziel'],
  [
    /^Backblaze takes one upload at a time at each of its addresses$/,
    'Backblaze nimmt an jeder seiner Adressen nur einen Upload auf einmal',
  ],
  [/^The application key may not do this$/, 'Der Anwendungsschlüssel darf das nicht'],
  [
    /^Make one for the bucket that may read and write (\(listFiles.+\)), without a prefix that excludes the target folder, and enter it$/,
    'Legen Sie für den Bucket einen an, der lesen und schreiben darf $1, ohne ein Präfix, das den Zielordner ausschließt, und geben Sie ihn ein',
  ],
  [/^Backblaze does not serve this account$/, 'Backblaze bedient dieses Konto nicht'],
  [/^Its owner must look into the console of Backblaze$/, 'Der Inhaber muss in der Konsole von Backblaze nachsehen'],
  [/^Backblaze does not take this application key$/, 'Backblaze nimmt diesen Anwendungsschlüssel nicht an'],
  [
    /^Enter keyID and applicationKey together as they were shown; if the key was deleted or has expired, make a new one$/,
    'Geben Sie keyID und applicationKey zusammen so ein, wie sie gezeigt wurden; wurde der Schlüssel gelöscht oder ist er abgelaufen, legen Sie einen neuen an',
  ],
  [/^This upload was begun with another application key$/, 'Dieser Upload wurde mit einem anderen Anwendungsschlüssel begonnen'],
  [
    /^Backblaze holds names of folders and files of at most (\d+) bytes$/,
    'Namen von Ordnern und Dateien haben bei Backblaze höchstens $1 Byte',
  ],
];
