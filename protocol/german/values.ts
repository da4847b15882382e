import type { Sentence } from './sentence.ts';

/** What a value must be. */
export const values: readonly Sentence[] = [
  // What a value must be (protocol/schema-rules.ts, protocol/schema.ts).
  [/^(?:it )?must not be empty$/, 'darf nicht leer sein'],
  [/^must be of type (?:number|integer)$/, 'muss eine Zahl sein'],
  [/^must be of type .+$/, 'hat nicht die richtige Form'],
  [/^must be one of (.+)$/, 'muss eines von diesen sein: $1'],
  [/^must have at least (.+) characters$/, 'muss mindestens $1 Zeichen haben'],
  [/^must have at most (.+) characters$/, 'darf höchstens $1 Zeichen haben'],
  [/^must have at least (.+) entries$/, 'muss mindestens $1 Einträge haben'],
  [/^must have at most (.+) entries$/, 'darf höchstens $1 Einträge haben'],
  [/^must not have the same entry twice$/, 'darf keinen Eintrag doppelt haben'],
  [/^must be at least (.+)$/, 'muss mindestens $1 sein'],
  [/^must be at most (.+)$/, 'darf höchstens $1 sein'],
  [/^must be an e-mail address$/, 'muss eine E-Mail-Adresse sein'],
  [/^must be a date and time like .+$/, 'muss ein Zeitpunkt sein'],
  [/^must be a day like (.+)$/, 'muss ein Tag sein wie $1'],
  [/^must be an address like (.+)$/, 'muss eine Adresse sein wie $1'],
  [/^is missing$/, 'fehlt'],
  // Credentials of connections (protocol/authorization.ts).
  [/^.+ is needed$/, 'Das wird gebraucht'],
  [/^.+ must not be empty$/, 'darf nicht leer sein'],
  [/^.+ is longer than (\d+) characters$/, 'darf höchstens $1 Zeichen haben'],
  [/^.+ must be one line without control characters$/, 'muss eine Zeile ohne Steuerzeichen sein'],
  [
    /^.+ must be a host name or an address that begins with https:\/\/ or http:\/\/$/,
    'muss ein Hostname sein oder eine Adresse, die mit https:// oder http:// beginnt',
  ],
  [/^.+ must be an address that begins with https:\/\/ or http:\/\/$/, 'muss eine Adresse sein, die mit https:// oder http:// beginnt'],
  [/^.+ must be an e-mail address$/, 'muss eine E-Mail-Adresse sein'],
  [
    /^.+ must be the whole key in PEM, with its BEGIN and END lines$/,
    'muss der ganze Schlüssel in PEM sein, mit seinen Zeilen BEGIN und END',
  ],
  [/^.+ must be (\d+) to (\d+) letters, digits or characters of (\S+)$/, 'darf $1 bis $2 Buchstaben, Ziffern oder Zeichen aus $3 haben'],
  [/^.+ must be letters, digits and \. _ -$/, 'darf nur Buchstaben, Ziffern und . _ - enthalten'],
  [/^.+ must be an ARN of a role (\(.+\))$/, 'muss der ARN einer Rolle sein $1'],
  [/^.+ must be one of (.+)$/, 'muss eines von diesen sein: $1'],
  [
    /^must have something to see in it, and no character that turns the direction of text$/,
    'muss zu sehen sein und darf kein Zeichen haben, das die Schreibrichtung dreht',
  ],
  [
    /^must be a label of a host name: 3 to 53 of a-z, 0-9 and -, .+$/,
    'muss 3 bis 53 Zeichen haben: a bis z, 0 bis 9 und -, das weder am Anfang noch am Ende noch an dritter und vierter Stelle steht',
  ],
  [/^must be a color like (\S+), or empty$/, 'muss eine Farbe sein wie $1, oder leer'],
  [/^must be three letters like (\S+), or empty$/, 'muss drei Buchstaben haben wie $1, oder leer sein'],
  [/^must be an extension with its dot, like (\S+)$/, 'muss eine Endung mit ihrem Punkt sein, wie $1'],
  [/^must be a time of day like (\S+)$/, 'muss eine Uhrzeit sein wie $1'],
  [/^must begin with https:\/\/ or http:\/\/$/, 'muss mit https:// oder http:// beginnen'],
  [/^.+ must be (\S+)$/, 'muss $1 sein'],
];
