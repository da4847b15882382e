import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { expect } from 'vitest';
import { seeds, soaking, soakShare } from './seeds.ts';

/** Cases in an ordinary run: a second or less. */
const usualRuns = 300;
/** An hour each in a soak; `LONGSHORE_FUZZ_SECONDS` says another time. */
const soakMilliseconds = Number(process.env['LONGSHORE_FUZZ_SECONDS'] ?? 3_600 * soakShare) * 1_000;

/** Of a test that fuzzes. */
export const fuzzTimeout = soaking ? 2 * soakMilliseconds + 60_000 : 30_000;

/** Of a soak, between two looks at the clock. fast-check's own limit of time keeps something of each case until its end. */
const batchRuns = 500;

/**
 * Compares a parser with its oracle on cases by chance, an hour long in a soak, and says there how many they were. A case that
 * fails is printed with its seed: put it into the corpus of this parser (test/corpora/), whose cases are tried first each time.
 */
export async function fuzz<Case>(
  cases: fc.Arbitrary<Case>,
  compare: (one: Case) => void | Promise<void>,
  { corpus = [], runs = usualRuns }: { readonly corpus?: readonly Case[]; readonly runs?: number } = {},
): Promise<void> {
  const property = fc.asyncProperty(cases, async (one) => await compare(one));
  const [seed] = seeds(1) as [number];
  await fc.assert(property, { seed, numRuns: runs + corpus.length, examples: corpus.map((one) => [one] as [Case]) });
  if (!soaking) return;
  const until = performance.now() + soakMilliseconds;
  let batches = 0;
  while (performance.now() < until) await fc.assert(property, { seed: seed + ++batches, numRuns: batchRuns });
  process.stdout.write(`${(batches * batchRuns).toLocaleString('en')} cases: ${expect.getState().currentTestName}\n`);
}

/** The kept cases of a parser. Texts are latin1, a character for each byte. */
export const corpusOf = <Case>(name: string): readonly Case[] =>
  JSON.parse(readFileSync(new URL(`../../corpora/${name}.json`, import.meta.url), 'utf8')) as readonly Case[];

/** A text with some of its characters dropped, doubled, or replaced by what confuses parsers. */
export function mutated(texts: fc.Arbitrary<string>, confusing: readonly string[]): fc.Arbitrary<string> {
  const change = fc.record({ at: fc.nat(), drop: fc.nat({ max: 3 }), insert: fc.constantFrom('', ...confusing) });
  return fc.tuple(texts, fc.array(change, { maxLength: 3 })).map(([text, changes]) =>
    changes.reduce((now, { at, drop, insert }) => {
      const place = now.length === 0 ? 0 : at % now.length;
      return now.slice(0, place) + insert + now.slice(place + drop);
    }, text),
  );
}
