import type { Sentence } from './sentence.ts';

/** What visitors of Portals and of download pages may be told, by the catalogue of errors and by what moves their bytes. */
export const visitors: readonly Sentence[] = [
  [/^The body is larger than (\d+) bytes$/, 'Das ist mehr, als der Dienst auf einmal annimmt: $1 Byte'],
  [
    /^The request stopped on its way: for (\d+) s too little of it came\. Send it again$/,
    'Die Anfrage blieb unterwegs stehen: $1 s lang kam zu wenig davon an. Versuchen Sie es noch einmal',
  ],
  [/^This call needs a credential: .+$/, 'Dafür braucht es eine Anmeldung. Laden Sie die Seite neu'],
  [
    /^The credential in \S+ is not valid\. It may be mistyped, deleted, expired or of another service\. Sign in again, or make a new one$/,
    'Der Zugang gilt nicht mehr. Laden Sie die Seite neu',
  ],
  [/^This Team is inactive\. Ask its owner$/, 'Dieses Team ist nicht aktiv. Fragen Sie seinen Inhaber'],
  [
    /^This link needs a password, sent in X-Link-Password, and the one given is missing or wrong$/,
    'Dieser Link braucht ein Passwort. Laden Sie die Seite neu, und geben Sie es ein',
  ],
  [
    /^This link asks for a code that is mailed to (.+)\. Ask for the mail at .+$/,
    'Dieser Link fragt nach einem Code, der an $1 geht. Laden Sie die Seite neu, um ihn zu bekommen',
  ],
  [/^The code is wrong\. Only the one that was mailed last is good$/, 'Der Code stimmt nicht. Nur der zuletzt gemailte gilt'],
  [/^This code is over: .+$/, 'Dieser Code gilt nicht mehr. Lassen Sie sich einen neuen mailen'],
  [
    /^The access code is missing or wrong\. Send it in X-Access-Code$/,
    'Der Zugangscode fehlt oder stimmt nicht. Laden Sie die Seite neu, und geben Sie ihn ein',
  ],
  [/^There is no .+ with this id, or this credential cannot see it$/, 'Das gibt es nicht mehr, oder es ist hier nicht zu sehen'],
  [
    /^A virus was found in this file or zip, and its Team lets nobody download it\. Tell the sender$/,
    'Darin wurde ein Virus gefunden, und das Team gibt es niemandem. Sagen Sie es dem Absender',
  ],
  [
    /^A virus was found in this package, and its Team keeps it in quarantine\. Tell the sender$/,
    'In diesem Paket wurde ein Virus gefunden, und das Team hält es in Quarantäne. Sagen Sie es dem Absender',
  ],
  [/^Chunk (\d+) is wrong: .+\. Upload it again and finalize again$/, 'Teil $1 kam falsch an. Versuchen Sie es noch einmal'],
  [
    /^The package holds (\d+) files with (\d+) bytes, and its sender expects .+$/,
    'Das Paket hat $1 Dateien mit $2 Byte, und das ist nicht alles. Versuchen Sie es noch einmal',
  ],
  [/^needs a value$/, 'muss ausgefüllt sein'],
  [/^The digest stated is .+$/, 'Was ankam, ist nicht, was gesendet wurde. Versuchen Sie es noch einmal'],
  [/^This is not the version that If-Match asks for any more: .+$/, 'Das wurde inzwischen geändert. Laden Sie die Seite neu'],
  [/^This \w+ has expired\. Ask for a new one$/, 'Das ist abgelaufen. Lassen Sie sich etwas Neues senden'],
  [/^This \w+ was used already: it is good for once$/, 'Das wurde schon benutzt und gilt nur einmal'],
  [/^The service at \S+ cannot be reached: .+$/, 'Der Dienst ist nicht zu erreichen. Prüfen Sie das Netz'],
  [
    /^The service's storage refuses the work: (.+)\. Nothing is lost; try again when its operator has put that right$/,
    'Der Speicher des Dienstes lehnt das ab. Nichts ist verloren; versuchen Sie es wieder, wenn der Betreiber das behoben hat ($1)',
  ],
  [
    /^The disk of the service's database is full\. Nothing is lost; try again when its operator has made room$/,
    'Der Datenbank des Dienstes fehlt Platz. Nichts ist verloren; versuchen Sie es wieder, wenn der Betreiber Platz gemacht hat',
  ],
  [
    /^The storage's copy of (.+) is damaged, so this zip would not be whole\. Ask its sender to send it again$/,
    '$1 ist im Speicher beschädigt, darum wäre diese Zip-Datei nicht ganz. Bitten Sie den Absender, das noch einmal zu senden',
  ],
  [
    /^The storage's copy of this file is damaged\. Ask its sender to send it again$/,
    'Diese Datei ist im Speicher beschädigt. Bitten Sie den Absender, sie noch einmal zu senden',
  ],
  [/^Too many requests\. Try again in (\d+) s$/, 'Das waren zu viele Anfragen. Versuchen Sie es in $1 s noch einmal'],
  [/^The service is starting or stopping\. Try again soon$/, 'Der Dienst startet oder endet gerade. Versuchen Sie es bald noch einmal'],
  // What moves the bytes.
  [/^The service answered for (\d+) files where (\d+) were asked for$/, 'Der Dienst hat zu $1 Dateien geantwortet, gefragt waren $2'],
  [/^The service answered for a file with neither the file nor an error$/, 'Der Dienst hat zu einer Datei nichts Brauchbares geantwortet'],
  [/^The storage did not say what it has received$/, 'Der Speicher hat nicht gesagt, was er bekommen hat'],
  [/^The service gave (\d+) blueprints where (\d+) were asked for$/, 'Der Dienst gab $1 Adressen, gefragt waren $2'],
  [
    /^The line damages data \(once\): .+$/,
    'Die Leitung hat einmal Daten beschädigt. Es geht von selbst weiter; ein anderes Netz kann helfen',
  ],
  [
    /^The line damages data \((\d+) times\): .+$/,
    'Die Leitung beschädigt Daten ($1-mal). Es geht von selbst weiter; ein anderes Netz kann helfen',
  ],
  [
    /^(.+) came twice with the same bytes, and they are not those that its sender sent\. .+$/,
    '$1 kam zweimal mit denselben falschen Bytes. Das ist im Speicher beschädigt. Bitten Sie den Absender, es noch einmal zu senden',
  ],
  [/^The storage stopped: no byte moved for too long$/, 'Der Speicher blieb stehen: Zu lange kam kein Byte'],
  [
    /^The storage has no such bucket\. Its operator must see to it$/,
    'Den Bucket des Speichers gibt es nicht. Das muss der Betreiber richten',
  ],
  [/^Another (?:range|chunk) of this file has failed$/, 'Ein anderer Teil dieser Datei ist gescheitert'],
  [/^What the storage received of part (\d+) is not what was sent$/, 'Teil $1 kam im Speicher anders an, als er gesendet wurde'],
  [
    /^Part (\d+) arrived at the storage with the same wrong bytes twice\. .+$/,
    'Teil $1 kam zweimal mit denselben falschen Bytes im Speicher an. Versuchen Sie ein anderes Netz, und sagen Sie es dem Betreiber',
  ],
  [
    /^The upload of this file was begun with a size that it does not have any more$/,
    'Diese Datei hat nicht mehr die Größe, mit der sie begonnen wurde',
  ],
  [/^The service has finalized a file that is still being sent$/, 'Der Dienst hat eine Datei abgeschlossen, die noch gesendet wird'],
  [/^The service gave no address to send the file to$/, 'Der Dienst hat keine Adresse für diese Datei gegeben'],
  [
    /^A proxy before the storage does not take as much at once \(status 413\)\. .+$/,
    'Ein Proxy vor dem Speicher nimmt nicht so viel auf einmal (Status 413). Der Betreiber muss seine Grenze anheben oder sie dem Dienst nennen (--storage-max-body)',
  ],
  [/^The storage does not answer\. Check the network$/, 'Der Speicher antwortet nicht. Prüfen Sie das Netz'],
  [/^The unfinished upload of this file is gone from the service$/, 'Was von dieser Datei schon da war, gibt es beim Dienst nicht mehr'],
];
