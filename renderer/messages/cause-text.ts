import { type ErrorBody, errorCatalogue, errorOf, placesIn } from '#protocol/errors.ts';
import { fillTemplate } from './localized-text.ts';
import type { Messages } from './shape.ts';
import type { Cause } from './shown-errors.ts';

/** The agent's description of an error, or of why something waits. */
interface Failure {
  readonly cause?: string | undefined;
  readonly code?: number;
  readonly message: string;
}

/** What went wrong in two or three words, e.g. `Disk full: 490 MB missing`; empty if there is no short text. */
export function causeText({ cause, code, message }: Failure, { agent }: Pick<Messages, 'agent'>): string {
  const { causes } = agent;
  const known = (name: string | undefined): name is Cause => name !== undefined && Object.hasOwn(causes, name);
  const name = [cause, code === undefined ? undefined : errorOf(code)].find(known);
  if (!name) return '';
  const values = valuesIn(message, agent.phrases);
  const text = causes[name].replace(/\[([^\]]*)\]/g, (_, part: string) =>
    [...part.matchAll(/\{(\w+)/g)].every(([, name]) => values[name!] !== undefined) ? fillTemplate(part, values, agent.locale) : '',
  );
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** The values in a sentence of the agent: sizes, numbers, paths. */
function valuesIn(message: ErrorBody['message'], phrases: Messages['agent']['phrases']): Readonly<Record<string, string>> {
  const sentence = message.replace(/; trying again in \d+ s\.$/s, '.');
  for (const template of [...templates, ...Object.keys(phrases).filter((english) => english.includes('{bytes}'))]) {
    const values = placesIn(template, sentence);
    if (values) return values;
  }
  return {};
}

/** Sentences with values that the short texts use. */
const templates: readonly string[] = (['files_failed', 'storage_full', 'service_refused', 'form_response_incomplete'] as const).map(
  (name) => errorCatalogue[name].message,
);
