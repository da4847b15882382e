import type { Sentence } from '../sentence.ts';

/** Frame.io V4, where one signs in at Adobe. */
export const frameio: readonly Sentence[] = [
  [
    /^The (?:account) ID is not one of Frame\.io's: .+$/,
    'Die Konto-ID ist keine von Frame.io: 32 Ziffern und Buchstaben in fünf Gruppen, nicht der Name',
  ],
  [
    /^The (?:workspace) ID is not one of Frame\.io's: .+$/,
    'Die Workspace-ID ist keine von Frame.io: 32 Ziffern und Buchstaben in fünf Gruppen, nicht der Name',
  ],
  [
    /^The (?:project) ID is not one of Frame\.io's: .+$/,
    'Die Projekt-ID ist keine von Frame.io: 32 Ziffern und Buchstaben in fünf Gruppen, nicht der Name',
  ],
  [/^Enter it as the API shows it$/, 'Geben Sie sie so ein, wie die API sie zeigt'],
  [/^The storage of the Frame\.io account is used up$/, 'Der Speicher des Frame.io-Kontos ist aufgebraucht'],
  [
    /^Make room, or raise the plan, then retry$/,
    'Schaffen Sie Platz, oder nehmen Sie einen größeren Tarif, und versuchen Sie es dann noch einmal',
  ],
  [
    /^If signing in again does not help, check that the credential has the Frame\.io API$/,
    'Hilft eine neue Anmeldung nicht, prüfen Sie, ob die Zugangsdaten die Frame.io API haben',
  ],
  [/^The service account may not do this$/, 'Das Dienstkonto darf das nicht'],
  [
    /^Add it to the project with Full Access, and see that its Adobe product profile has Frame\.io$/,
    'Fügen Sie es dem Projekt mit „Full Access“ hinzu, und sehen Sie nach, ob sein Produktprofil bei Adobe Frame.io enthält',
  ],
  [/^The credential has no access to Frame\.io$/, 'Die Zugangsdaten haben keinen Zugang zu Frame.io'],
  [
    /^Add the Frame\.io API to its project in the Adobe Developer Console, as OAuth Server-to-Server$/,
    'Fügen Sie ihrem Projekt in der Adobe Developer Console die Frame.io API hinzu, als OAuth Server-to-Server',
  ],
  [/^Adobe does not take these credentials$/, 'Adobe nimmt diese Zugangsdaten nicht an'],
  [
    /^Check client ID and client secret, and that the secret was not removed in the Adobe Developer Console$/,
    'Prüfen Sie Client-ID und Client-Geheimnis, und ob das Geheimnis in der Adobe Developer Console noch da ist',
  ],
  [/^Frame\.io gives no download of the original file$/, 'Frame.io gibt die Originaldatei nicht zum Download frei'],
  [
    /^Allow downloads for the service account, and see that no watermark is asked of it$/,
    'Erlauben Sie dem Dienstkonto Downloads, und sehen Sie nach, ob für es kein Wasserzeichen verlangt wird',
  ],
  [/^Frame\.io's storage has a failure of its own \((\d+)\)$/, 'Der Speicher von Frame.io hat selbst eine Störung ($1)'],
  [/^Frame\.io's storage is busy \((\d+)\)$/, 'Der Speicher von Frame.io ist überlastet ($1)'],
  [/^Frame\.io's storage did not take a part \((.+)\)$/, 'Der Speicher von Frame.io hat einen Teil nicht angenommen ($1)'],
  [
    /^There is no project of this ID in the account, or the service account may not see it$/,
    'In dem Konto gibt es kein Projekt mit dieser ID, oder das Dienstkonto darf es nicht sehen',
  ],
  [/^Check both IDs, and add the service account to the project$/, 'Prüfen Sie beide IDs, und fügen Sie das Dienstkonto dem Projekt hinzu'],
  [
    /^The project lies in another workspace than the connection says$/,
    'Das Projekt liegt in einem anderen Workspace, als in der Verbindung steht',
  ],
  [/^Correct the workspace ID$/, 'Berichtigen Sie die Workspace-ID'],
  [/^The project is inactive at Frame\.io$/, 'Das Projekt ist bei Frame.io nicht aktiv'],
  [/^Activate it there, or choose another$/, 'Aktivieren Sie es dort, oder wählen Sie ein anderes'],
  [/^The addresses for this file's parts at Frame\.io are over$/, 'Die Adressen für die Teile dieser Datei bei Frame.io sind abgelaufen'],
  [/^Frame\.io takes no files without content$/, 'Frame.io nimmt keine Dateien ohne Inhalt'],
  [/^The folder at Frame\.io is removed again and again$/, 'Der Ordner bei Frame.io wird immer wieder entfernt'],
  [/^Choose another, then retry$/, 'Wählen Sie einen anderen, und versuchen Sie es dann noch einmal'],
  [/^Check the IDs of the connection, or ask the operator$/, 'Prüfen Sie die IDs der Verbindung, oder fragen Sie den Betreiber'],
];
