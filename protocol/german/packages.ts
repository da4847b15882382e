import type { Sentence } from './sentence.ts';

/** Packages, their files, links and hand-overs; invitations to a Team. */
export const packages: readonly Sentence[] = [
  [/^This package is finalized$/, 'Dieses Paket ist fertig'],
  [
    /^This package is finalized, so its files can no longer change$/,
    'Dieses Paket ist fertig, darum lassen sich seine Dateien nicht mehr ändern',
  ],
  [/^This package is not finalized yet, so it has no receipt$/, 'Dieses Paket ist noch nicht fertig, darum hat es keine Quittung'],
  [/^This package is still being uploaded$/, 'Dieses Paket wird noch hochgeladen'],
  [/^The link works as soon as its sender has finished$/, 'Der Link geht, sobald der Absender fertig ist'],
  [
    /^The user who got this package token may not (?:see|manage) the package any more$/,
    'Wer dieses Paket geöffnet hat, darf es nicht mehr benutzen. Laden Sie die Seite neu',
  ],
  [/^Files of this package are still being replaced$/, 'Dateien dieses Pakets werden noch ersetzt'],
  [/^Finalize it again when they stand$/, 'Schließen Sie es danach noch einmal ab'],
  [/^The file (.+) is not finalized yet$/, 'Die Datei $1 ist noch nicht fertig'],
  [/^The file (.+) and (\d+) more (?:are) not finalized yet$/, 'Die Datei $1 und $2 weitere sind noch nicht fertig'],
  [
    /^Finish uploading or delete it, then finalize the package again$/,
    'Laden Sie zu Ende hoch, oder löschen Sie, was fehlt; dann schließen Sie das Paket noch einmal ab',
  ],
  [/^This package has a finalized file (.+) already$/, 'Dieses Paket hat schon eine fertige Datei $1'],
  [/^Delete it first, or choose another name$/, 'Löschen Sie diese zuerst, oder wählen Sie einen anderen Namen'],
  [/^This file is finalized already, with other content$/, 'Diese Datei ist schon fertig, mit anderem Inhalt'],
  [/^This file is finalized, so nothing more can be uploaded to it$/, 'Diese Datei ist fertig, darum kommt nichts mehr dazu'],
  [/^This file was put together from other chunks$/, 'Diese Datei wurde aus anderen Stücken zusammengesetzt'],
  [/^Delete it and upload it again$/, 'Löschen Sie sie, und laden Sie sie noch einmal hoch'],
  [/^A folder has nothing to (?:download|look at|upload)$/, 'Ein Ordner selbst hat keinen Inhalt'],
  [/^this storage takes chunks of (\d+) to (\d+) bytes, not of (\d+)$/, 'dieser Speicher nimmt Stücke von $1 bis $2 Byte, nicht von $3'],
  [
    /^What stands before it lets no larger body than (\d+) bytes through$/,
    'Mehr als $1 Byte auf einmal lässt nicht durch, was vor ihm steht',
  ],
  // What a Portal takes.
  [
    /^This Portal takes at most (\d+) files in a package, and this one has (\d+)$/,
    'Dieses Portal nimmt höchstens $1 Dateien in einem Paket, und dieses hat $2',
  ],
  [
    /^This Portal takes at most (\d+) bytes in a package, and this one has (\d+)$/,
    'Dieses Portal nimmt höchstens $1 Byte in einem Paket, und dieses hat $2',
  ],
  [/^This Portal takes files of at most (\d+) bytes, and (.+) is larger$/, 'Dieses Portal nimmt Dateien bis $1 Byte, und $2 ist größer'],
  [/^This Portal takes only files of the types (.+), and (.+) is none$/, 'Dieses Portal nimmt nur Dateien der Typen $1, und $2 ist keine'],
  [/^this Portal takes only files of the types (.+)$/, 'dieses Portal nimmt nur Dateien der Typen $1'],
  [
    /^Delete what is too much, then finalize the package again$/,
    'Löschen Sie, was zu viel ist, dann schließen Sie das Paket noch einmal ab',
  ],
  [/^a folder has none$/, 'ein Ordner hat das nicht'],
  // Hand-overs to an app.
  [/^At most (\d+) files can be handed over at once$/, 'Höchstens $1 Dateien lassen sich auf einmal übergeben'],
  [/^A list of files of more than (\d+) bytes can't be handed over$/, 'Eine so lange Liste von Dateien lässt sich nicht übergeben'],
  [/^Finish this transfer where it was begun$/, 'Beenden Sie die Übertragung dort, wo sie begonnen wurde'],
  [/^This code is (?:cancelled) already$/, 'Dieser Code ist schon zurückgezogen'],
  [/^This code (?:is taken already|was used already)$/, 'Dieser Code ist schon benutzt worden'],
  [/^This code is (?:expired already|not good any more)$/, 'Dieser Code gilt nicht mehr'],
  [/^Make another one in the browser$/, 'Erzeugen Sie im Browser einen neuen'],
  [/^An app has taken over this package already$/, 'Eine App hat dieses Paket schon übernommen'],
  [/^This link asks for no code$/, 'Dieser Link fragt nach keinem Code'],
  // Invitations.
  [/^A sign-in through a company counts in its own Team only$/, 'Die Anmeldung über eine Firma gilt nur in deren eigenem Team'],
  [/^Sign in by your password, then accept$/, 'Melden Sie sich mit Ihrem Passwort an, dann nehmen Sie an'],
  [
    /^This invitation is for another e-mail address than that of who is signed in$/,
    'Diese Einladung ist für eine andere E-Mail-Adresse als die, mit der Sie angemeldet sind',
  ],
  [/^The password of this user was chosen by somebody else$/, 'Das Passwort dieses Kontos hat jemand anderes gewählt'],
  [/^Choose one of your own first, then accept$/, 'Wählen Sie zuerst ein eigenes, dann nehmen Sie an'],
  [/^There is a user with this e-mail address already$/, 'Mit dieser E-Mail-Adresse gibt es schon ein Konto'],
  [/^Sign in, then accept$/, 'Melden Sie sich an, dann nehmen Sie an'],
  [
    /^is missing\. Choose a name and a password, or accept signed in, with X-User-Token$/,
    'fehlt. Wählen Sie einen Namen und ein Passwort, oder nehmen Sie angemeldet an',
  ],
  // Elsewhere in the console.
  [
    /^has too many or too long names for rules of this size\. Try fewer names, or smaller rules$/,
    'hat zu viele oder zu lange Namen für Regeln dieser Größe. Versuchen Sie es mit weniger Namen oder kürzeren Regeln',
  ],
  [/^Only a person themselves can change their account$/, 'Ein Konto kann nur ändern, wem es gehört'],
  [/^must be a name of the IANA database, like (.+)$/, 'muss ein Name aus der IANA-Datenbank sein wie $1'],
  [/^must not contain NUL characters$/, 'darf keine NUL-Zeichen enthalten'],
  [/^Text must not contain NUL characters$/, 'Texte dürfen keine NUL-Zeichen enthalten'],
];
