import type { Sentence } from '../sentence.ts';

const retry = 'und versuchen Sie es dann noch einmal';

/** Google Cloud Storage. */
export const google: readonly Sentence[] = [
  [
    /^Enter private_key from the JSON file of the service account, from (-+BEGIN PRIVATE KEY-+) to (-+END PRIVATE KEY-+)$/,
    'Geben Sie private_key aus der JSON-Datei des Dienstkontos ein, von $1 bis $2',
  ],
  [/^The project's billing account is disabled$/, 'Das Rechnungskonto des Projekts ist deaktiviert'],
  [/^Billing is not enabled for the project$/, 'Für das Projekt ist die Abrechnung nicht aktiviert'],
  [/^The Cloud Storage API is not enabled for the project$/, 'Für das Projekt ist die Cloud Storage API nicht aktiviert'],
  [/^Enable it in the Google Cloud console, then retry$/, `Aktivieren Sie das in der Google Cloud Console, ${retry}`],
  [
    /^The bucket is one where the requester pays, which is not supported$/,
    'Bei diesem Bucket zahlt der Anforderer, und das geht hier nicht',
  ],
  [
    /^The bucket's retention policy forbids to replace or delete this file$/,
    'Die Aufbewahrungsrichtlinie des Buckets verbietet es, diese Datei zu ersetzen oder zu löschen',
  ],
  [/^Choose another bucket, or wait until it is over$/, 'Wählen Sie einen anderen Bucket, oder warten Sie, bis ihre Zeit um ist'],
  [
    /^There is a hold on this file, which forbids to replace or delete it$/,
    'Auf dieser Datei liegt eine Sperre (Hold), die es verbietet, sie zu ersetzen oder zu löschen',
  ],
  [/^Release it, then retry$/, `Heben Sie sie auf, ${retry}`],
  [/^A quota of the project is used up$/, 'Ein Kontingent des Projekts ist aufgebraucht'],
  [/^Raise it in the Google Cloud console, then retry$/, `Erhöhen Sie es in der Google Cloud Console, ${retry}`],
  [
    /^If signing in again does not help, make a new key for the service account$/,
    'Hilft eine neue Anmeldung nicht, legen Sie für das Dienstkonto einen neuen Schlüssel an',
  ],
  [/^The service account lacks the permission (\S+)$/, 'Dem Dienstkonto fehlt die Berechtigung $1'],
  [/^The service account lacks (.+) on the bucket$/, 'Dem Dienstkonto fehlt am Bucket: $1'],
  [
    /^Give it the role Storage Object User (\(\S+\)) (?:on the bucket|there)$/,
    'Geben Sie ihm am Bucket die Rolle Storage-Objekt-Nutzer $1',
  ],
  [/^There is no bucket of this name$/, 'Einen Bucket dieses Namens gibt es nicht'],
  [/^Google does not take this key$/, 'Google nimmt diesen Schlüssel nicht an'],
  [
    /^Check that the e-mail is that of the service account, that the account is enabled, and that the key was not deleted; else make a new key and enter it$/,
    'Prüfen Sie, ob die E-Mail-Adresse die des Dienstkontos ist, ob das Konto aktiviert ist und der Schlüssel nicht gelöscht wurde; legen Sie sonst einen neuen Schlüssel an, und geben Sie ihn ein',
  ],
  [/^(.+) gave no usable address for an upload$/, '$1 hat keine brauchbare Adresse für einen Upload genannt'],
  [/^(.+) did not say which bytes it has$/, '$1 hat nicht gesagt, welche Bytes es hat'],
  [
    /^Google Cloud Storage behind iconik kept nothing of what it was sent$/,
    'Google Cloud Storage hinter iconik hat nichts von dem behalten, was gesendet wurde',
  ],
  [/^(.+) kept nothing of what it was sent$/, '$1 hat nichts von dem behalten, was gesendet wurde'],
  [/^Google Cloud Storage holds nothing below (\S+)$/, 'Unter $1 speichert Google Cloud Storage nichts'],
];
