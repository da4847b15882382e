import type { Sentence } from './sentence.ts';

/** Checks of connections. */
export const connections: readonly Sentence[] = [
  [/^Not tried, since a step before failed$/, 'Nicht versucht, da ein Schritt davor scheiterte'],
  [
    /^There is no file to read in the first entries of its folders, so reading could not be tried$/,
    'In den ersten Einträgen der Ordner ist keine Datei, also ließ sich das Lesen nicht versuchen',
  ],
  [/^The check failed for a reason of its own$/, 'Die Prüfung selbst ist gescheitert'],
  [/^The log of the service says more$/, 'Im Protokoll des Dienstes steht mehr'],
  [/^The storage did not get this far within (\d+) s$/, 'In $1 s kam der Speicher nicht so weit'],
  [/^Try again; if that goes on, ask its operator$/, 'Versuchen Sie es noch einmal; bleibt es dabei, fragen Sie den Betreiber'],
  [/^The storage gives back other bytes than it was given$/, 'Der Speicher gibt andere Bytes zurück, als er bekam'],
  [/^There is no bucket in this connection$/, 'In dieser Verbindung fehlt der Bucket'],
  [/^Enter its name as destination$/, 'Geben Sie seinen Namen als Ziel ein'],
  [/^Give the .+ again, since (\S+) changes$/, 'Geben Sie das noch einmal ein, da sich Ort oder Konto ändern ($1)'],
];
