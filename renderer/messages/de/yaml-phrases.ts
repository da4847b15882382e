/**
 * What is wrong with fields of an automation, and with a text that has some, as the agent says it, with the German translation.
 * They come with the view of automations, beside `phrases.ts`.
 */

/** What a field must be (protocol/schema-rules.ts), as the end of a sentence. */
const rules: Readonly<Record<string, string>> = {
  'must be a text: put it in quotes': 'muss ein Text sein: Setzen Sie ihn in Anführungszeichen',
  'must be of type boolean': 'muss true oder false sein',
  'must be of type integer': 'muss eine ganze Zahl sein',
  'must be of type array': 'muss eine Liste sein',
  'must be of type object': 'muss aus Feldern bestehen',
  'must be of type {type}': 'hat nicht die richtige Form',
  'must be one of {values}': 'muss eines von diesen sein: {values}',
  'must not be empty': 'darf nicht leer sein',
  'must have at least {limit} characters': 'muss mindestens {limit:number} Zeichen haben',
  'must have at most {limit} characters': 'darf höchstens {limit:number} Zeichen haben',
  'must have at least {limit} entries': 'muss mindestens {limit:number} Einträge haben',
  'must have at most {limit} entries': 'darf höchstens {limit:number} Einträge haben',
  'must not have the same entry twice': 'darf keinen Eintrag doppelt haben',
  'has a name that is too long or empty: {name}': 'hat einen Namen, der zu lang oder leer ist: {name}',
  'must be at least {limit}': 'muss mindestens {limit:number} sein',
  'must be at most {limit}': 'darf höchstens {limit:number} sein',
  'must be an e-mail address': 'muss eine E-Mail-Adresse sein',
  'must be a date and time like {example}': 'muss ein Zeitpunkt sein wie {example}',
  'must be a day like {example}': 'muss ein Tag sein wie {example}',
  'must be an address like {example}': 'muss eine Adresse sein wie {example}',
  'must be a time of day like {example}': 'muss eine Uhrzeit sein wie {example}',
  'must begin with https:// or http://': 'muss mit https:// oder http:// beginnen',
  'must have something to see in it, and no character that turns the direction of text':
    'muss zu sehen sein und darf kein Zeichen haben, das die Schreibrichtung dreht',
  'must be a label of a host name: {rule}':
    'muss 3 bis 53 Zeichen haben: a bis z, 0 bis 9 und -, das weder am Anfang noch am Ende noch an dritter und vierter Stelle steht',
  'does not have a form that is accepted': 'hat keine Form, die angenommen wird',
  'is missing': 'fehlt',
};

const ofFields = Object.fromEntries(
  ['The field {field}', '{field}'].flatMap((subject) =>
    Object.entries(rules).map(([english, german]) => [`${subject} ${english}.`, `${subject.replace('The field', 'Das Feld')} ${german}.`]),
  ),
);

export const yamlPhrases: Readonly<Record<string, string>> = {
  // The text itself (engine/automations/rules/yaml-problems.ts, yaml-text.ts).
  'Something does not belong here: the next line may be indented too far, a list may begin on the line of its name, or a value that has ": ", brackets or quotes in it may lack quotes around it.':
    'Etwas gehört hier nicht hin: Die nächste Zeile ist vielleicht zu weit eingerückt, eine Liste beginnt in der Zeile ihres Namens, oder ein Wert mit „: “, Klammern oder Anführungszeichen steht nicht in Anführungszeichen.',
  'The indentation does not fit: entries of one list, or fields of one entry, begin in the same column.':
    'Die Einrückung passt nicht: Einträge einer Liste und Felder eines Eintrags beginnen in derselben Spalte.',
  '"*" refers to a value that "&" marks, and there is none of this name. Put a pattern like "*.mov" in quotes.':
    '„*“ verweist auf einen Wert, den „&“ bezeichnet, und den gibt es nicht. Setzen Sie ein Muster wie "*.mov" in Anführungszeichen.',
  'In double quotes a backslash has a meaning of its own. Put the value in single quotes.':
    'In doppelten Anführungszeichen hat ein Backslash eine eigene Bedeutung. Setzen Sie den Wert in einfache.',
  'A value cannot begin with this character. Put it in quotes.':
    'Mit diesem Zeichen kann kein Wert beginnen. Setzen Sie ihn in Anführungszeichen.',
  'This key stands there already. Remove one of the two.': 'Dieses Feld steht schon da. Entfernen Sie eines der beiden.',
  'There is a second document (---). Keep one.': 'Da ist ein zweites Dokument (---). Behalten Sie eines.',
  'The name of a field is a text. Remove the brackets around it.': 'Der Name eines Feldes ist ein Text. Entfernen Sie die Klammern um ihn.',
  'Indent by spaces, not by tabs.': 'Rücken Sie mit Leerzeichen ein, nicht mit Tabulatoren.',
  'Tags (!…) are not read. Write the value itself.': 'Kennzeichen (!…) werden nicht gelesen. Schreiben Sie den Wert selbst.',
  'A quote is opened and not closed. Close it, or put the value in quotes of the other kind.':
    'Ein Anführungszeichen ist nicht geschlossen. Schließen Sie es, oder nehmen Sie für den Wert die andere Art.',
  'After the name of a field stands a colon and a space. One of the two is missing.':
    'Nach dem Namen eines Feldes stehen Doppelpunkt und Leerzeichen. Eines der beiden fehlt.',
  'A list or mapping in brackets lacks a comma or its closing bracket.':
    'In einer Liste oder Zuordnung in Klammern fehlt ein Komma oder die schließende Klammer.',
  'This is not YAML: {message}.': 'Das ist kein YAML ({message}).',
  'This is too long: up to here there are more names, values or references than are read.':
    'Das ist zu lang: Bis hier sind es mehr Namen, Werte oder Verweise, als gelesen werden.',
  'It refers to itself too often.': 'Der Text verweist zu oft auf sich selbst.',

  // What it has (automations-yaml.ts, yaml-fields.ts, team-names.ts, import-plan.ts).
  'Begin with "automations:", and a list of them below.': 'Beginnen Sie mit „automations:“, darunter eine Liste.',
  'There is no "{key}" here, only "automations".': '„{key}“ gibt es hier nicht, nur „automations“.',
  'automations is a list: begin each with "- name:".': 'automations ist eine Liste: Beginnen Sie jede Automation mit „- name:“.',
  'There are more than {limit} automations.': 'Es sind mehr als {limit:number} Automationen.',
  'The name "{name}" stands in line {line} already. Give each its own.':
    'Der Name „{name}“ steht schon in Zeile {line}. Geben Sie jeder einen eigenen.',
  'An automation is a list of fields: name, kind, folder and so on.':
    'Eine Automation besteht aus Feldern: name, kind, folder und so weiter.',
  'kind is missing: give one of {kinds}.': 'kind fehlt: Geben Sie eines von diesen an: {kinds}.',
  'kind is {kind}: give one of {kinds}.': 'kind ist {kind}: Geben Sie eines von diesen an: {kinds}.',
  '{kind} has no field "{name}", only {fields}.': '{kind} hat kein Feld „{name}“, nur {fields}.',
  '{name} has no value. Give one, or remove the line.': '{name} hat keinen Wert. Geben Sie einen an, oder entfernen Sie die Zeile.',
  'team must be the name of a Team: put it in quotes.': 'team muss der Name eines Teams sein: Setzen Sie ihn in Anführungszeichen.',
  'Give team or team_id, and not both.': 'Geben Sie team oder team_id an, nicht beide.',
  'There is no Team "{team}" in "{name}". Those that are signed in to: {known}.':
    'Ein Team „{team}“ (in „{name}“) gibt es nicht. Angemeldet sind Sie bei: {known}.',
  'Several Teams are called "{team}". In "{name}" give team_id in place of team: {ids}.':
    'Mehrere Teams heißen „{team}“. Geben Sie in „{name}“ team_id statt team an: {ids}.',
  '"{name}" is a {kind} already, and its kind stays. Give this one another name, or remove the other.':
    '„{name}“ gibt es schon, als {kind}, und dabei bleibt es. Geben Sie dieser einen anderen Namen, oder entfernen Sie die andere.',

  // What goes together (checked-fields.ts, package-name.ts).
  'The field {field} is none of this kind of automation ({kind}).': 'Ein Feld {field} hat diese Art von Automation nicht ({kind}).',
  'The field move_to is missing: it says where files are moved.': 'Das Feld move_to fehlt: Es sagt, wohin Dateien verschoben werden.',
  'The field package_name cannot be used: {name} stands for nothing. Use {placeholders}.':
    'Das Feld package_name ist so nicht möglich: {name} steht für nichts. Nehmen Sie {placeholders}.',
  'The field growing cannot be set where package_per is marker: a marker says that a folder is whole.':
    'Das Feld growing geht nicht zusammen mit package_per: marker. Eine Marke sagt, dass ein Ordner ganz ist.',
  'Name the Portal, by subdomain or portal_id.': 'Nennen Sie das Portal, mit subdomain oder portal_id.',
  'A pattern cannot be read: {fault}': 'Ein Muster lässt sich nicht lesen: {fault}',

  ...ofFields,
};
