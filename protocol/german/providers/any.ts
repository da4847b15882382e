import type { Sentence } from '../sentence.ts';

/** What several providers say of themselves in the same words: `$1` is the provider's name. They come after those of one alone. */
export const anyProvider: readonly Sentence[] = [
  [/^(.+) asks for fewer requests$/, '$1 bittet um weniger Anfragen'],
  [/^(.+) has a failure of its own \((\d+)\)$/, '$1 hat selbst eine Störung ($2)'],
  [/^(.+) is still putting the file together$/, '$1 setzt die Datei noch zusammen'],
  [/^(.+) is busy with another change of this(?: file)?$/, '$1 ist noch mit einer anderen Änderung daran beschäftigt'],
  [/^(.+)'s sign-in is busy \((\d+)\)$/, 'Die Anmeldung von $1 ist überlastet ($2)'],
  [/^(.+)'s sign-in answered with something else \((\d+)\)$/, 'Die Anmeldung von $1 hat etwas anderes geantwortet als erwartet ($2)'],
  [/^(.+)'s sign-in answered without a token$/, 'Die Anmeldung von $1 hat ohne Token geantwortet'],
  [/^(.+) no longer takes the access token$/, '$1 nimmt das Zugriffstoken nicht mehr an'],
  [/^The clock of this service differs too much from (.+)'s$/, 'Die Uhr dieses Dienstes weicht zu weit von der von $1 ab'],
  [
    /^(.+) sends elsewhere, where credentials do not follow$/,
    '$1 verweist an eine andere Adresse, an die keine Zugangsdaten gesendet werden',
  ],
  [/^(.+) refused the request \((.*)\)$/, '$1 hat die Anfrage abgelehnt ($2)'],
  [/^(.+) gave an answer that makes no sense$/, '$1 hat etwas Unverständliches geantwortet'],
  [/^(.+) gave other bytes than were asked for$/, '$1 hat andere Bytes gesendet als verlangt'],
  // Uploads.
  [/^(.+) has ended this upload$/, '$1 hat diesen Upload beendet'],
  [/^(.+) does not have all parts of the file$/, '$1 hat nicht alle Teile der Datei'],
  [/^Bytes arrived changed at (.+), which dropped them$/, 'Bytes kamen verändert bei $1 an und wurden dort verworfen'],
  [/^Bytes arrived changed at (.+)$/, 'Bytes kamen verändert bei $1 an'],
  [/^The file arrived changed at (.+) and was dropped there$/, 'Die Datei kam verändert bei $1 an und wurde dort verworfen'],
  [/^This upload was begun in another way$/, 'Dieser Upload wurde auf andere Weise begonnen'],
  [/^The bytes of the part ended early$/, 'Die Bytes des Teils endeten zu früh'],
  [/^The bytes of the part ended early, or are too many$/, 'Die Bytes des Teils endeten zu früh oder sind zu viele'],
  [/^The part has more bytes than it should$/, 'Der Teil hat zu viele Bytes'],
  [/^The part has other bytes than it was said to have$/, 'Der Teil hat andere Bytes als angegeben'],
  // Files.
  [/^(.+) takes no file of this size$/, '$1 nimmt keine Datei dieser Größe'],
  [
    /^A file of (\d+) bytes is larger than this storage takes \((\d+) bytes\)$/,
    'Eine Datei von $1 Byte ist größer, als dieser Speicher annimmt ($2 Byte)',
  ],
  [/^(.+) cannot hold a file of this name$/, '$1 kann keine Datei dieses Namens speichern'],
  [
    /^There is no such file at (.+) any more, or the service account may not see it$/,
    'Bei $1 gibt es diese Datei nicht mehr, oder das Dienstkonto darf sie nicht sehen',
  ],
  [
    /^There is no such file or folder at (.+) any more, or the service account may not see it$/,
    'Bei $1 gibt es diese Datei oder diesen Ordner nicht mehr, oder das Dienstkonto darf sie nicht sehen',
  ],
  [/^There is no such file at (.+) any more$/, 'Bei $1 gibt es diese Datei nicht mehr'],
  [/^There is no such file any more$/, 'Diese Datei gibt es nicht mehr'],
  [/^There is a file of that name already$/, 'Es gibt schon eine Datei dieses Namens'],
  [/^The file at (.+) was changed meanwhile$/, 'Die Datei bei $1 wurde inzwischen geändert'],
  [/^The file at (.+) is shorter than it was said to be$/, 'Die Datei bei $1 ist kürzer als angegeben'],
  [/^Somebody else has stored a file of this name meanwhile$/, 'Jemand anderes hat inzwischen eine Datei dieses Namens gespeichert'],
  [/^The list cannot go on from this cursor$/, 'Die Liste lässt sich von dieser Stelle aus nicht fortsetzen'],
  [/^Begin it again$/, 'Beginnen Sie sie von vorn'],
];
