import type { Brand } from './brand.ts';
import { frameMessages } from './frame-messages.ts';
import type { Letter } from './letter.ts';

/** The plain text part. The sender's text is quoted, so that it cannot look like our own. */
export function textPart(letter: Letter, brand: Brand): string {
  const { imprint, privacy } = frameMessages[letter.language];
  const width = Math.max(...letter.facts.map(({ label }) => label.length));
  const sections = [
    [letter.heading, letter.opening],
    ...(letter.link === null ? [] : [[`${letter.button}:`, letter.link]]),
    letter.facts.map(({ label, value }) => `${`${label}:`.padEnd(width + 2)}${value}`),
    ...(letter.note === null ? [] : [[before(letter.note.title), ...quoted(letter.note.lines)]]),
    ...(letter.form === null
      ? []
      : [[before(letter.form.title), ...letter.form.answers.flatMap(({ label, lines }) => [before(label), ...quoted(lines)])]]),
    [
      // Not `-- `: mail programs take what follows that for a signature, and hide it.
      '---',
      ...[letter.closing, brand.name].filter((line) => line !== ''),
      ...(letter.stop === undefined ? [] : [`${letter.stop.label}: ${letter.stop.link}`]),
      ...(brand.imprint === '' ? [] : [`${imprint}: ${brand.imprint}`]),
      ...(brand.privacy === '' ? [] : [`${privacy}: ${brand.privacy}`]),
    ],
  ];
  return `${sections.map((lines) => lines.join('\n')).join('\n\n')}\n`;
}

/** A line above what belongs to it: with a colon, unless it ends with a mark of its own. */
const before = (line: string): string => (/[:?!.…]$/.test(line) ? line : `${line}:`);

const quoted = (lines: readonly string[]): string[] => lines.map((line) => `> ${line}`.trimEnd());
