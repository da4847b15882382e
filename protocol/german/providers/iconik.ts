import type { Sentence } from '../sentence.ts';

/** iconik, and the bucket behind its storage. */
export const iconik: readonly Sentence[] = [
  [/^An answer of iconik makes no sense$/, 'Eine Antwort von iconik ist unverständlich'],
  [/^The upload was ended in iconik$/, 'Der Upload wurde in iconik beendet'],
  [/^The storage ID is not one of iconik's$/, 'Die Speicher-ID ist keine von iconik'],
  [
    /^Copy it from the address of the storage's page in iconik, below Admin, Storages$/,
    'Kopieren Sie sie aus der Adresse der Seite des Speichers in iconik, unter Admin, Storages',
  ],
  [/^The application ID or token has characters that none has$/, 'Anwendungs-ID oder Token haben Zeichen, die darin nicht vorkommen'],
  [/^Copy both again from iconik$/, 'Kopieren Sie beide noch einmal aus iconik'],
  [/^This application ID and token are not taken by (iconik)$/, '$1 nimmt diese Anwendungs-ID und dieses Token nicht an'],
  [
    /^Check that both belong together and that the token was neither deleted nor has expired; else make a new one in iconik, below Admin, Settings, Application Tokens$/,
    'Prüfen Sie, ob beide zusammengehören und das Token weder gelöscht noch abgelaufen ist; legen Sie sonst in iconik ein neues an, unter Admin, Settings, Application Tokens',
  ],
  [/^The user of the application token may not do this in iconik$/, 'Der Benutzer des Anwendungs-Tokens darf das in iconik nicht'],
  [
    /^Give that user the roles that (\S+) lists, and write access to the collection$/,
    'Geben Sie ihm die Rollen, die in $1 stehen, und Schreibzugriff auf die Sammlung',
  ],
  [
    /^There is no such file in iconik any more, or the user of the (?:application )?token may not see it$/,
    'In iconik gibt es diese Datei nicht mehr, oder der Benutzer des Tokens darf sie nicht sehen',
  ],
  [/^Fewer requests are asked for by (iconik)$/, '$1 bittet um weniger Anfragen'],
  [/^There is a failure in iconik \((\d+)\)$/, 'In iconik gibt es eine Störung ($1)'],
  [
    /^Something sends elsewhere in place of iconik, where the token does not follow$/,
    'Etwas antwortet anstelle von iconik und verweist an eine andere Adresse, an die das Token nicht gesendet wird',
  ],
  [/^The request was refused by (iconik) \((\d+)\)$/, '$1 hat die Anfrage abgelehnt ($2)'],
  [/^Check the storage in iconik, or ask the operator$/, 'Prüfen Sie den Speicher in iconik, oder fragen Sie den Betreiber'],
  [/^Check the storage in iconik$/, 'Prüfen Sie den Speicher in iconik'],
  [/^An address of iconik's is over$/, 'Eine Adresse von iconik ist abgelaufen'],
  [/^The bucket behind iconik has ended this upload$/, 'Der Bucket hinter iconik hat diesen Upload beendet'],
  [/^The bucket behind iconik does not have all parts of the file$/, 'Der Bucket hinter iconik hat nicht alle Teile der Datei'],
  [/^The bucket behind iconik takes no file of this size$/, 'Der Bucket hinter iconik nimmt keine Datei dieser Größe'],
  [
    /^Bytes arrived changed at the bucket behind iconik, which dropped them$/,
    'Bytes kamen verändert beim Bucket hinter iconik an, und er hat sie verworfen',
  ],
  [/^Bytes arrived changed at the bucket behind iconik$/, 'Bytes kamen verändert beim Bucket hinter iconik an'],
  [/^Not all bytes arrived at the bucket behind iconik$/, 'Nicht alle Bytes kamen beim Bucket hinter iconik an'],
  [/^The file arrived changed in the bucket behind iconik$/, 'Die Datei kam verändert im Bucket hinter iconik an'],
  [/^It is removed there and sent from its beginning$/, 'Sie wird dort entfernt und von vorn gesendet'],
  [/^The bucket behind the storage in iconik does not exist any more$/, 'Den Bucket hinter dem Speicher in iconik gibt es nicht mehr'],
  [/^Correct the storage in iconik$/, 'Berichtigen Sie den Speicher in iconik'],
  [
    /^The file is known to iconik, but does not lie in its bucket any more$/,
    'Die Datei ist in iconik bekannt, liegt aber nicht mehr in ihrem Bucket',
  ],
  [
    /^The bucket behind iconik is full, or its quota is used up$/,
    'Der Bucket hinter iconik ist voll, oder sein Kontingent ist aufgebraucht',
  ],
  [/^Restore it in iconik first, then retry$/, 'Stellen Sie sie zuerst in iconik wieder her, und versuchen Sie es dann noch einmal'],
  [/^The file in iconik was changed meanwhile$/, 'Die Datei in iconik wurde inzwischen geändert'],
  [/^The file in iconik is shorter than it was said to be$/, 'Die Datei in iconik ist kürzer als angegeben'],
  [/^The bucket behind iconik does not allow this$/, 'Der Bucket hinter iconik erlaubt das nicht'],
  [
    /^Give the credentials of the storage in iconik the permissions that (\S+) lists$/,
    'Geben Sie den Zugangsdaten des Speichers in iconik die Rechte, die in $1 stehen',
  ],
  [/^The bucket behind iconik is busy$/, 'Der Bucket hinter iconik ist überlastet'],
  [/^The bucket behind iconik lies elsewhere$/, 'Der Bucket hinter iconik liegt woanders'],
  [/^Correct the region of the storage in iconik$/, 'Berichtigen Sie die Region des Speichers in iconik'],
  [/^The bucket behind iconik refused the request \((.+)\)$/, 'Der Bucket hinter iconik hat die Anfrage abgelehnt ($1)'],
  [
    /^There is no storage of this ID in iconik, or the user of the application token may not see it$/,
    'In iconik gibt es keinen Speicher mit dieser ID, oder der Benutzer des Anwendungs-Tokens darf ihn nicht sehen',
  ],
  [
    /^The storage in iconik lies at (.+) where Longshore cannot write through iconik$/,
    'Der Speicher in iconik ist von einer Art, zu der Longshore nicht durch iconik schreiben kann',
  ],
  [
    /^Choose a storage at Amazon S3, at one that is compatible with it, or at Google Cloud Storage$/,
    'Wählen Sie einen Speicher bei Amazon S3, bei einem damit kompatiblen Anbieter oder bei Google Cloud Storage',
  ],
  [
    /^The storage in iconik does not hold original files: its purpose is another$/,
    'Der Speicher in iconik hat einen anderen Zweck: Er ist nicht für Originaldateien da',
  ],
  [/^Choose a storage with the purpose Files$/, 'Wählen Sie einen Speicher mit dem Zweck „Files“'],
  [
    /^The storage in iconik is not active, or iconik cannot reach it$/,
    'Der Speicher in iconik ist nicht aktiv, oder iconik erreicht ihn nicht',
  ],
  [/^Its page in iconik, below Admin, Storages, says more$/, 'Auf seiner Seite in iconik, unter Admin, Storages, steht mehr'],
  [/^In the bucket of this storage iconik itself may not (.+)$/, 'Im Bucket dieses Speichers fehlen iconik selbst Rechte: $1'],
  [
    /^Correct the storage's credentials in iconik, or the bucket's permissions$/,
    'Berichtigen Sie die Zugangsdaten des Speichers in iconik oder die Rechte am Bucket',
  ],
];
