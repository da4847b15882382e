import { type ErrorBody, errorCatalogue, errorOf, placesIn } from '#protocol/errors.ts';
import type { Cause } from './cause-names.ts';
import { phrases } from './de/phrases.ts';
import { filled } from './said.ts';
import type { Messages } from './shape.ts';

/** What the agent says of something that went wrong, or that waits. */
interface Told {
  readonly cause?: string | undefined;
  readonly code?: number;
  readonly message: string;
}

/** What went wrong in two or three words, e.g. `Disk full: 490 MB missing`; empty where only the sentence can say it. */
export function causeWords({ cause, code, message }: Told, { agent }: Pick<Messages, 'agent'>): string {
  const { causes } = agent;
  const known = (name: string | undefined): name is Cause => name !== undefined && Object.hasOwn(causes, name);
  const name = [cause, code === undefined ? undefined : errorOf(code)].find(known);
  if (!name) return '';
  const places = placesOf(message);
  const said = causes[name].replace(/\[([^\]]*)\]/g, (_, part: string) =>
    [...part.matchAll(/\{(\w+)/g)].every(([, place]) => places[place!] !== undefined) ? filled(part, places, agent.locale) : '',
  );
  return said.charAt(0).toUpperCase() + said.slice(1);
}

/** What stands in a sentence of the agent: sizes, numbers, paths. */
function placesOf(message: ErrorBody['message']): Readonly<Record<string, string>> {
  const sentence = message.replace(/; trying again in \d+ s\.$/s, '.');
  for (const template of telling) {
    const places = placesIn(template, sentence);
    if (places) return places;
  }
  return {};
}

/** Sentences of which something stands in what is said short. */
const telling: readonly string[] = [
  ...(['files_failed', 'storage_full', 'service_refused', 'form_response_incomplete'] as const).map((name) => errorCatalogue[name].message),
  ...Object.keys(phrases).filter((english) => english.includes('{bytes}')),
];
