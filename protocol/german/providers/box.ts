import type { Sentence } from '../sentence.ts';

/** Box. */
export const box: readonly Sentence[] = [
  [/^Files belong to the app's service account$/, 'Die Dateien gehören dem Dienstkonto der App'],
  [
    /^Invite (\S+) as Editor to a folder of yours, and give that folder's name as the target$/,
    'Laden Sie $1 als Editor in einen Ihrer Ordner ein, und geben Sie dessen Namen als Ziel an',
  ],
  [/^The passphrase does not open the private key$/, 'Die Passphrase öffnet den privaten Schlüssel nicht'],
  [/^Enter both again from the JSON file that Box made$/, 'Geben Sie beide noch einmal aus der JSON-Datei ein, die Box ausgegeben hat'],
  [/^The private key cannot be read$/, 'Der private Schlüssel ist nicht lesbar'],
  [
    /^Enter privateKey from the JSON file that Box made, from (-+BEGIN ENCRYPTED PRIVATE KEY-+) to the end$/,
    'Geben Sie privateKey aus der JSON-Datei ein, die Box ausgegeben hat, von $1 bis zum Ende',
  ],
  [/^Box is busy with this folder$/, 'Box ist noch mit diesem Ordner beschäftigt'],
  [/^Another upload of this name is under way at Box$/, 'Bei Box läuft schon ein anderer Upload dieses Namens'],
  [/^The storage of the Box account is full$/, 'Der Speicher des Box-Kontos ist voll'],
  [
    /^Make room or raise its quota, then retry$/,
    'Schaffen Sie Platz, oder erhöhen Sie das Kontingent, und versuchen Sie es dann noch einmal',
  ],
  [/^The plan of the Box account takes no file of this size$/, 'Der Tarif des Box-Kontos nimmt keine Datei dieser Größe'],
  [/^Send it as several files, or change the plan$/, 'Senden Sie sie als mehrere Dateien, oder wechseln Sie den Tarif'],
  [/^Box cannot hold a file or folder of this name$/, 'Box kann keine Datei und keinen Ordner dieses Namens speichern'],
  [/^The name is longer than Box takes$/, 'Der Name ist länger, als Box annimmt'],
  [
    /^There is a file or folder of this name at Box already; upper and lower case are the same there$/,
    'Bei Box gibt es schon eine Datei oder einen Ordner dieses Namens; Groß- und Kleinschreibung zählt dort nicht',
  ],
  [/^There is a file at Box where a folder is needed$/, 'Bei Box liegt eine Datei, wo ein Ordner gebraucht wird'],
  [/^Rename one of them$/, 'Benennen Sie eines von beiden um'],
  [/^The app may not do this$/, 'Die App darf das nicht'],
  [
    /^Give it 'Write all files and folders stored in Box', and invite its service account to the folder as Editor$/,
    'Geben Sie ihr „Write all files and folders stored in Box“, und laden Sie ihr Dienstkonto als Editor in den Ordner ein',
  ],
  [/^The app lacks a scope$/, 'Der App fehlt ein Anwendungsbereich'],
  [
    /^Give it 'Write all files and folders stored in Box' and authorize it again$/,
    'Geben Sie ihr „Write all files and folders stored in Box“, und geben Sie sie noch einmal frei',
  ],
  [
    /^If signing in again does not help, authorize the app again in the Admin Console$/,
    'Hilft eine neue Anmeldung nicht, geben Sie die App in der Admin-Konsole noch einmal frei',
  ],
  [/^The app is not authorized for this enterprise$/, 'Die App ist für dieses Unternehmen nicht freigegeben'],
  [/^An administrator must authorize it in the Admin Console of Box$/, 'Ein Administrator muss sie in der Admin-Konsole von Box freigeben'],
  [/^Box does not take these credentials$/, 'Box nimmt diese Zugangsdaten nicht an'],
  [
    /^Check client ID, client secret, public key ID and enterprise ID, and that the key is still listed in the app$/,
    'Prüfen Sie Client-ID, Client-Geheimnis, ID des öffentlichen Schlüssels und Unternehmens-ID, und ob der Schlüssel noch in der App aufgeführt ist',
  ],
];
