import type { Sentence } from './sentence.ts';

/** Without the full stop at their end. */
export type Sentences = readonly Sentence[];

const named = /^The (?:field|query parameter) (\S+) (.+)$/s;
const labelled = /^([a-z_][\w.[\]]*): (.+)$/s;
const betweenSentences = /(?<=\.) (?=[A-Z\d])/;

/** A text of the service in German; null where some of it is not known. */
export function inGerman(sentences: Sentences, text: string): string | null {
  return spoken(sentences, text) ?? afterPath(sentences, text.trim());
}

function spoken(sentences: Sentences, text: string): string | null {
  const plain = text.trim().replace(/\.$/, '');
  const [, field, rule] = named.exec(plain) ?? [];
  if (field !== undefined && rule !== undefined) {
    const found = known(sentences, rule);
    return found === null ? null : `Das Feld ${field} ${found.text}.`;
  }
  const [, label, rest] = labelled.exec(plain) ?? [];
  if (label !== undefined && rest !== undefined) {
    const found = spoken(sentences, rest);
    if (found !== null) return `${label}: ${found}`;
  }
  const parts = text.trim().split(betweenSentences);
  const found = parts.length < 2 ? [null] : parts.map((part) => spoken(sentences, part));
  if (!found.includes(null)) return found.join(' ');
  const whole = known(sentences, plain);
  return whole === null ? null : `${whole.startsWithName ? whole.text : capital(whole.text)}.`;
}

/** What is said of one file, whose path stands before it and may be any text. */
function afterPath(sentences: Sentences, text: string): string | null {
  for (let at = text.indexOf(': '); at > 0; at = text.indexOf(': ', at + 1)) {
    const found = spoken(sentences, text.slice(at + 2));
    if (found !== null) return `${text.slice(0, at)}: ${found}`;
  }
  return null;
}

/** The text of the first form that fits. A sentence of its own begins with a capital letter, and a form need not. */
function known(sentences: Sentences, plain: string): { readonly text: string; readonly startsWithName: boolean } | null {
  for (const said of [plain, plain.charAt(0).toLowerCase() + plain.slice(1)]) {
    const fit = sentences.find(([form]) => form.test(said));
    // What somebody else has called it keeps its letters.
    if (fit) return { text: said.replace(...fit), startsWithName: fit[1].startsWith('$') };
  }
  return null;
}

const capital = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);
