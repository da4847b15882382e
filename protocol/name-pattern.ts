/**
 * Patterns for the names of packages (contract/portals.md §11): texts, and placeholders in braces, such as
 * `NL_{digits:4}_{A|B}`. People read and write them without knowing regular expressions, and a name is compared in time
 * linear in its length. The service enforces them, pages say it first.
 */

type Placeholder =
  | { readonly kind: 'text'; readonly text: string }
  /** From `min` to `max` characters that `accepts` all. */
  | { readonly kind: 'run'; readonly of: RunName; readonly min: number; readonly max: number }
  | { readonly kind: 'choice'; readonly options: readonly string[] }
  | { readonly kind: 'date'; readonly form: DateForm };

const runs = {
  digits: { accepts: /^\d$/, sample: '1234567890' },
  letters: { accepts: /^\p{L}$/u, sample: 'ABCDEFGHIJ' },
  word: { accepts: /^[\p{L}\p{M}\d-]$/u, sample: 'name' },
  text: { accepts: /^.$/su, sample: 'any text' },
} as const;
type RunName = keyof typeof runs;

const dateForms = ['YYYY-MM-DD', 'YYYYMMDD', 'YYMMDD', 'DD.MM.YYYY'] as const;
type DateForm = (typeof dateForms)[number];

export type NamePattern = readonly Placeholder[];

export const namePatternLimits = { length: 255, placeholders: 40 } as const;

type Parsed = { readonly ok: true; readonly pattern: NamePattern } | { readonly ok: false; readonly problem: string };

/** Reads a pattern. `problem` is the end of a sentence that begins with the pattern. */
export function parseNamePattern(source: string): Parsed {
  const parts = source.normalize('NFC').split(/(\{[^{}]*\})/);
  const pattern: Placeholder[] = [];
  for (const part of parts) {
    if (part === '') continue;
    if (!(part.startsWith('{') && part.endsWith('}'))) {
      if (/[{}]/.test(part)) return { ok: false, problem: 'has a brace without its counterpart' };
      pattern.push({ kind: 'text', text: part });
      continue;
    }
    const placeholder = readPlaceholder(part.slice(1, -1));
    if (typeof placeholder === 'string') return { ok: false, problem: placeholder };
    pattern.push(placeholder);
  }
  if (pattern.length > namePatternLimits.placeholders) return { ok: false, problem: 'has too many placeholders' };
  return { ok: true, pattern };
}

function readPlaceholder(inside: string): Placeholder | string {
  if (inside.includes('|')) {
    const options = inside.split('|').map((option) => option.trim());
    return options.includes('') ? `has an empty choice in {${inside}}` : { kind: 'choice', options };
  }
  const [name = '', how] = inside.split(':').map((one) => one.trim());
  if (name === 'date') {
    const form = dateForms.find((one) => one === (how ?? 'YYYY-MM-DD'));
    return form ? { kind: 'date', form } : `has a date that is none of ${dateForms.join(', ')}`;
  }
  if (!Object.hasOwn(runs, name)) return `has {${inside}}, which is none of {digits}, {letters}, {word}, {text}, {date} and {A|B}`;
  if (how === undefined) return { kind: 'run', of: name as RunName, min: 1, max: namePatternLimits.length };
  const [, from, to] = /^(\d{1,3})(?:-(\d{1,3}))?$/.exec(how) ?? [];
  const [min, max] = [Number(from), Number(to ?? from)];
  if (from === undefined || min < 1 || max < min || max > namePatternLimits.length) return `has a length in {${inside}} that cannot be`;
  return { kind: 'run', of: name as RunName, min, max };
}

/** Whether a name is of a pattern, from its first character to its last. Takes time linear in the name's length. */
export function matchesNamePattern(pattern: NamePattern, name: string): boolean {
  const characters = [...name.normalize('NFC')];
  // The positions at which the placeholders so far can end.
  let ends = [0];
  for (const placeholder of pattern) {
    ends = placeholder.kind === 'run' ? endsOfRun(placeholder, characters, ends) : endsOf(placeholder, characters, ends);
    if (ends.length === 0) return false;
  }
  return ends.at(-1) === characters.length;
}

type Run = Extract<Placeholder, { kind: 'run' }>;

/** Each start allows one stretch of ends. The stretches are counted where they open and close, so none is walked twice. */
function endsOfRun({ of, min, max }: Run, characters: readonly string[], starts: readonly number[]): number[] {
  const { accepts } = runs[of];
  const accepted = [0];
  for (const character of characters.toReversed()) accepted.push(accepts.test(character) ? accepted.at(-1)! + 1 : 0);
  accepted.reverse();
  const opened = Array<number>(characters.length + 2).fill(0);
  for (const start of starts) {
    const most = Math.min(max, accepted[start]!);
    if (most < min) continue;
    opened[start + min]! += 1;
    opened[start + most + 1]! -= 1;
  }
  let open = 0;
  return opened.flatMap((change, at) => {
    open += change;
    return open > 0 ? [at] : [];
  });
}

/** Ascending, each once. */
function endsOf(placeholder: Exclude<Placeholder, Run>, characters: readonly string[], starts: readonly number[]): number[] {
  const ends = starts.flatMap((start) => {
    if (placeholder.kind === 'date') {
      const end = start + placeholder.form.length;
      return isDate(characters.slice(start, end).join(''), placeholder.form) ? [end] : [];
    }
    const texts = placeholder.kind === 'text' ? [placeholder.text] : placeholder.options;
    return texts.flatMap((text) => follows(characters, start, text));
  });
  return [...new Set(ends)].sort((a, b) => a - b);
}

function follows(characters: readonly string[], start: number, text: string): number[] {
  const wanted = [...text];
  return wanted.every((character, index) => characters[start + index] === character) ? [start + wanted.length] : [];
}

/** Whether a text is a day that there is, in this form. */
function isDate(text: string, form: DateForm): boolean {
  if (text.length !== form.length) return false;
  const part = (letter: string): string => [...form].flatMap((one, index) => (one === letter ? [text[index]!] : [])).join('');
  if ([...form].some((one, index) => !/[YMD]/.test(one) && text[index] !== one)) return false;
  const [year, month, day] = [part('Y'), part('M'), part('D')];
  if (!/^\d+$/.test(year + month + day)) return false;
  const iso = `${year.padStart(4, '20')}-${month}-${day}`;
  return new Date(`${iso}T00:00:00Z`).toJSON()?.startsWith(iso) ?? false;
}

/** A name of this pattern, to show how names look. */
export function sampleName(pattern: NamePattern): string {
  return pattern.map(sampleOf).join('');
}

function sampleOf(placeholder: Placeholder): string {
  switch (placeholder.kind) {
    case 'text':
      return placeholder.text;
    case 'choice':
      return placeholder.options[0]!;
    case 'date':
      return placeholder.form.replace('YYYY', '2026').replace('YY', '26').replace('MM', '11').replace('DD', '23');
    case 'run': {
      const { sample } = runs[placeholder.of];
      const length = placeholder.max < namePatternLimits.length ? placeholder.min : sample.length > 8 ? 3 : sample.length;
      return sample.repeat(Math.ceil(length / sample.length)).slice(0, length);
    }
  }
}
