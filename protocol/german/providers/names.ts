import type { Sentence } from '../sentence.ts';

/** What a provider, or a package, cannot hold as a name. */
export const names: readonly Sentence[] = [
  [
    /^In Azure no file or folder may have a name that ends with a dot$/,
    'Namen von Dateien und Ordnern enden bei Azure nicht mit einem Punkt',
  ],
  [/^In Azure a name cannot hold a backslash$/, 'Namen haben bei Azure keinen umgekehrten Schrägstrich'],
  [
    /^A name holds a control character or another one that Azure refuses$/,
    'Ein Name hat ein Steuerzeichen oder ein anderes, das Azure ablehnt',
  ],
  [/^Azure holds paths of at most (\d+) characters$/, 'Pfade haben bei Azure höchstens $1 Zeichen'],
  [/^Azure holds paths of at most (\d+) folders$/, 'Pfade haben bei Azure höchstens $1 Ordner'],
  [/^A path has an empty step$/, 'Ein Teil des Pfads ist leer'],
  [/^A path cannot have a step of one or two dots$/, 'Kein Teil eines Pfads darf nur aus einem oder zwei Punkten bestehen'],
  [/^A step of the path is empty, "\." or "\.\."$/, 'Ein Teil des Pfads ist leer, „.“ oder „..“'],
  [/^The name holds a control character$/, 'Der Name hat ein Steuerzeichen'],
  [/^The path is longer than (\d+) bytes, which is all that S3 takes$/, 'Der Pfad ist länger als $1 Byte, und mehr nimmt S3 nicht'],
  [/^Paths in iconik have at most (\d+) bytes$/, 'Pfade haben in iconik höchstens $1 Byte'],
  [
    /^No file or collection in iconik is called nothing, \. or \.+$/,
    'In iconik hat jede Datei und Sammlung einen Namen, und keine heißt „.“ oder „..“',
  ],
  [/^No name in iconik begins or ends with a space$/, 'Namen beginnen und enden in iconik nicht mit einem Leerzeichen'],
  [/^Names in iconik have only printable characters$/, 'Namen haben in iconik nur druckbare Zeichen'],
  [/^(.+) holds no file named \. or \.+$/, 'Keine Datei heißt bei $1 „.“ oder „..“'],
  [
    /^(.+) holds no file or folder that is called nothing, \. or \.+$/,
    'Bei $1 haben Dateien und Ordner einen Namen, und keiner heißt „.“ oder „..“',
  ],
  [/^(.+) holds names of at most (\d+) characters$/, 'Namen haben bei $1 höchstens $2 Zeichen'],
  [/^(.+) holds paths of at most (\d+) bytes$/, 'Pfade haben bei $1 höchstens $2 Byte'],
  [/^(.+) holds no names with control characters$/, 'Namen haben bei $1 keine Steuerzeichen'],
  [/^(.+) holds no names with line breaks$/, 'Namen haben bei $1 keine Zeilenumbrüche'],
  [/^(.+) holds no names with a backslash$/, 'Namen haben bei $1 keinen umgekehrten Schrägstrich'],
  [/^(.+) holds no names that begin or end with a space$/, 'Namen beginnen und enden bei $1 nicht mit einem Leerzeichen'],
  [/^(.+) holds only names of printable characters$/, 'Namen haben bei $1 nur druckbare Zeichen'],
  [/^(.+) holds only names that are valid Unicode$/, 'Namen müssen bei $1 gültiges Unicode sein'],
];
