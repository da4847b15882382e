import type { Sentence } from './sentence.ts';

/** Checks of connections. */
export const connections: readonly Sentence[] = [
  [/^Not tried, since a step before failed$/, 'Nicht versucht, da ein Schritt davor scheiterte'],
  [
    /^There is no file to read in the first entries of its folders, so reading could not be tried$/,
    'In den ersten Einträgen der Ordner ist keine Datei, also ließ sich das Lesen nicht versuchen',
  ],
  [
    /^The storage gives back other bytes than it was given\. Ask its operator$/,
    'Der Speicher gibt andere Bytes zurück, als er bekam. Fragen Sie seinen Betreiber',
  ],
  [
    /^There is no bucket in this connection\. Enter its name as destination$/,
    'In dieser Verbindung fehlt der Bucket. Geben Sie seinen Namen als Ziel ein',
  ],
  [
    /^There is no bucket of this name in the account\. Make it, or correct the destination$/,
    'In dem Konto gibt es keinen Bucket dieses Namens. Legen Sie ihn an, oder berichtigen Sie das Ziel',
  ],
  [
    /^The application key lacks the capability (\S+)\. Make one that has it, and enter it$/,
    'Dem Application Key fehlt das Recht $1. Legen Sie einen an, der es hat, und geben Sie ihn ein',
  ],
  [
    /^(\S+) gave an answer that makes no sense\. It is tried again; if that goes on, tell the operator$/,
    '$1 hat etwas Unverständliches geantwortet. Es wird noch einmal versucht; bleibt es dabei, sagen Sie es dem Betreiber',
  ],
  [
    /^The clock of this service differs too much from (\S+)'s\. Set it by a time server$/,
    'Die Uhr dieses Dienstes weicht zu weit von der von $1 ab. Stellen Sie sie nach einem Zeitserver',
  ],
];
