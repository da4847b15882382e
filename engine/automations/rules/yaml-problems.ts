import type { ErrorCode } from 'yaml';

/** What a parser finds wrong. */
interface YamlProblem {
  readonly code: ErrorCode;
  readonly message: string;
}

const unfit =
  'Something does not belong here: the next line may be indented too far, a list may begin on the line of its name, or a value that has ": ", brackets or quotes in it may lack quotes around it.';
const indentation = 'The indentation does not fit: entries of one list, or fields of one entry, begin in the same column.';
export const noSuchReference =
  '"*" refers to a value that "&" marks, and there is none of this name. Put a pattern like "*.mov" in quotes.';

const sentences: Readonly<Partial<Record<ErrorCode, string>>> = {
  BAD_DQ_ESCAPE: 'In double quotes a backslash has a meaning of its own. Put the value in single quotes.',
  BAD_INDENT: indentation,
  BAD_SCALAR_START: 'A value cannot begin with this character. Put it in quotes.',
  BLOCK_AS_IMPLICIT_KEY: unfit,
  BLOCK_IN_FLOW: unfit,
  DUPLICATE_KEY: 'This key stands there already. Remove one of the two.',
  MULTILINE_IMPLICIT_KEY: unfit,
  MULTIPLE_DOCS: 'There is a second document (---). Keep one.',
  NON_STRING_KEY: 'The name of a field is a text. Remove the brackets around it.',
  TAB_AS_INDENT: 'Indent by spaces, not by tabs.',
  TAG_RESOLVE_FAILED: 'Tags (!…) are not read. Write the value itself.',
  UNEXPECTED_TOKEN: unfit,
};

/** The same code can mean different things: the parser's own sentence tells them apart. */
const byMessage: readonly (readonly [RegExp, string])[] = [
  [/^Missing closing/, 'A quote is opened and not closed. Close it, or put the value in quotes of the other kind.'],
  [/^Implicit (?:map )?keys? need/, 'After the name of a field stands a colon and a space. One of the two is missing.'],
  [/^Flow |^Missing , |in flow (?:map|sequence|collection)/, 'A list or mapping in brackets lacks a comma or its closing bracket.'],
  [/without - indicator$/, indentation],
];

/** As a sentence for a person, without the line. */
export function problemText({ code, message }: YamlProblem): string {
  const [, found] = byMessage.find(([form]) => form.test(message)) ?? [];
  return found ?? sentences[code] ?? `This is not YAML: ${message.replace(/\.$/, '')}.`;
}
