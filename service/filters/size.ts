/**
 * An upper bound for the size of a regular expression's program, in steps: about one for each character that can be
 * matched, with repetitions (`{n,m}`) multiplied out. Computed from the text alone, in one pass, since the
 * compilation itself must be limited. Text that does not parse has a size too; the compiler reports what is wrong
 * with it.
 */
export function patternSteps(source: string): number {
  // For each open group: the number of steps before it in its parent.
  const open: number[] = [];
  let sum = 0;
  let last = 0;
  for (let at = 0; at < source.length; ) {
    const token = nextToken(source, at);
    at = token.end;
    switch (token.kind) {
      case 'open':
        open.push(sum);
        sum = 0;
        last = 0;
        break;
      case 'close':
        last = sum + 2;
        sum = (open.pop() ?? 0) + last;
        break;
      case 'repeat':
        sum += last * (token.times - 1);
        last *= token.times;
        break;
      case 'operator':
        sum += 1;
        last += 1;
        break;
      case 'atom':
        sum += token.steps;
        last = token.steps;
        break;
    }
  }
  // Groups that are never closed.
  return open.reduce((total, before) => total + before, sum);
}

type Token =
  | { readonly kind: 'open' | 'close' | 'operator'; readonly end: number }
  | { readonly kind: 'repeat'; readonly times: number; readonly end: number }
  | { readonly kind: 'atom'; readonly steps: number; readonly end: number };

/** A Unicode class, e.g. `\pL`, compiles to a table of hundreds of ranges. */
const unicodeClassSteps = 20;

function nextToken(source: string, at: number): Token {
  switch (source[at]) {
    case '(':
      return { kind: 'open', end: at + 1 };
    case ')':
      return { kind: 'close', end: at + 1 };
    case '*':
    case '+':
    case '?':
    case '|':
      return { kind: 'operator', end: at + 1 };
    case '{': {
      const [text, from, , to] = /^\{(\d{1,4})(,(\d{0,4}))?\}/.exec(source.slice(at, at + 12)) ?? [];
      if (text === undefined) return { kind: 'atom', steps: 1, end: at + 1 };
      return { kind: 'repeat', times: Math.max(Number(from) + 1, Number(to || 0)), end: at + text.length };
    }
    case '[':
      return classToken(source, at);
    case '\\':
      if (source[at + 1] === 'Q') {
        const end = source.indexOf('\\E', at + 2);
        const stop = end < 0 ? source.length : end + 2;
        return { kind: 'atom', steps: stop - at, end: stop };
      }
      return { kind: 'atom', steps: isUnicodeClass(source, at) ? unicodeClassSteps : 1, end: at + escapeLength(source, at) };
    default:
      return { kind: 'atom', steps: 1, end: at + 1 };
  }
}

/** The length of `\d`, and of escapes with an argument in braces: `\x{10FFFF}`, `\p{Greek}`. */
const escapeLength = (source: string, at: number): number => /^\\[xpP]\{\^?\w*\}/.exec(source.slice(at, at + 64))?.[0].length ?? 2;

const isUnicodeClass = (source: string, at: number): boolean => source[at] === '\\' && /[pP]/.test(source[at + 1] ?? '');

/** `[…]`: a `]` at the start is a member, and so is a character escaped by `\`. */
function classToken(source: string, at: number): Token {
  let steps = 1;
  let end = at + (source[at + 1] === '^' ? 2 : 1);
  if (source[end] === ']') end++;
  while (end < source.length && source[end] !== ']') {
    const named = source.startsWith('[:', end) ? source.indexOf(':]', end + 2) : -1;
    if (isUnicodeClass(source, end)) steps += unicodeClassSteps;
    end = named >= 0 ? named + 2 : end + (source[end] === '\\' ? 2 : 1);
  }
  return { kind: 'atom', steps, end: end + 1 };
}

/**
 * Indexes of unbalanced brackets: the outermost group that is never closed, and the first `)` that closes none. -1 if
 * there is none.
 */
export function unpaired(source: string): { readonly open: number; readonly close: number } {
  const open: number[] = [];
  let close = -1;
  for (let at = 0; at < source.length; ) {
    const token = nextToken(source, at);
    if (token.kind === 'open') open.push(at);
    else if (token.kind === 'close' && open.pop() === undefined && close < 0) close = at;
    at = token.end;
  }
  return { open: open[0] ?? -1, close };
}
