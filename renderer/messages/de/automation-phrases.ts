/** Why an automation waits, what it leaves out, and what it found, as its results and entries say it. */
export const automationPhrases: Readonly<Record<string, string>> = {
  'It has to be still for {seconds} s more.': 'Sie muss noch {seconds:number} s ruhen.',
  'Another program has it open for writing.': 'Ein anderes Programm hat sie zum Schreiben offen.',
  'Its name says that it is not ready ({pattern}).': 'Ihr Name sagt, dass sie noch nicht bereit ist ({pattern}).',
  'There is nothing in it but its marker.': 'Darin ist nichts als die Marke.',
  'Its marker is not there ({marker}).': 'Die Marke ist noch nicht da ({marker}).',
  'Its time window opens at {at}.': 'Das Zeitfenster öffnet {at:time}.',
  'Its time window never opens.': 'Das Zeitfenster öffnet nie.',
  '{packages} until others are here.': 'Weitere Pakete warten, bis andere da sind.',
  'No pattern includes it.': 'Kein Muster schließt es ein.',
  'It is excluded by {pattern}.': '{pattern} schließt es aus.',
  'The patterns leave it out.': 'Die Muster lassen es aus.',
  'None of its files is wanted by the patterns.': 'Die Muster wollen keine seiner Dateien.',
  'It lay there at the start.': 'Es lag beim Start schon da.',
  'It is a symbolic link.': 'Es ist eine symbolische Verknüpfung.',
  'It is neither a file nor a folder.': 'Es ist weder Datei noch Ordner.',
  'Its name is not valid Unicode. Rename it.': 'Der Name ist kein gültiges Unicode. Benennen Sie es um.',
  'Its path is longer than {limit} characters.': 'Der Pfad ist länger als {limit:number} Zeichen.',
  'It is larger than {limit} bytes.': 'Es ist größer als {limit:size}.',
  'The disk of its folder does not answer. It goes on once that does.':
    'Der Datenträger des Ordners antwortet nicht. Sie geht weiter, sobald er das tut.',
  'It was gone already.': 'Sie war schon fort.',
  'It was sent already.': 'Sie ist schon gesendet.',
  'It is being sent.': 'Sie wird gerade gesendet.',
  'It went without {paths}, which went away before.': 'Es ging ohne {paths}: Das war vorher fort.',
  'Nothing was sent: {paths} went away before.': 'Nichts ist gesendet: {paths} war vorher fort.',
  'It is not what was sent, though its size and time are the same, so it stays where it is.':
    'Größe und Zeit sind die des Gesendeten, der Inhalt nicht. Also bleibt es, wo es ist.',
  'Its disk has another identity for it than when it was sent, and there is nothing left to compare it with, so it stays where it is.':
    'Der Datenträger kennt sie jetzt unter einer anderen Nummer als beim Senden, und zum Vergleichen ist nichts mehr da. Also bleibt sie, wo sie ist.',
  'Its service gave no receipt, so it stays where it is.': 'Der Dienst gab keine Quittung, also bleibt sie, wo sie ist.',
  'The form lacks: {fields}.': 'Im Formular fehlt: {fields}.',
  'Some transfers failed or were cancelled. Retry them, or forget their entries.':
    'Übertragungen sind gescheitert oder wurden abgebrochen. Versuchen Sie sie noch einmal, oder vergessen Sie ihre Einträge.',
  'Its transfer failed or was cancelled. Retry that, or forget the entry.':
    'Die Übertragung ist gescheitert oder wurde abgebrochen. Versuchen Sie sie noch einmal, oder vergessen Sie den Eintrag.',
  'Its transfer was cancelled. Retry that, or forget this entry.':
    'Die Übertragung wurde abgebrochen. Versuchen Sie sie noch einmal, oder vergessen Sie diesen Eintrag.',
  'Its transfer was removed before its end was noted here.': 'Die Übertragung wurde entfernt, ehe ihr Ende hier vermerkt war.',
  'Its transfer ended without it.': 'Die Übertragung endete ohne sie.',
  'Some of its files did not come, so it stays at its service.': 'Einige Dateien sind nicht gekommen, also bleibt es beim Dienst.',
  'Only a part of it was wanted, so it stays at its service.': 'Nur ein Teil war gewünscht, also bleibt es beim Dienst.',
  'Its service gave no receipt, so it stays there.': 'Der Dienst gab keine Quittung, also bleibt es dort.',
  'This automation rests. Resume it first.': 'Diese Automation ist angehalten. Setzen Sie sie zuerst fort.',
  'There is an automation "{name}" already. Choose another name.':
    'Eine Automation „{name}“ gibt es schon. Wählen Sie einen anderen Namen.',
};
