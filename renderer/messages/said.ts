import { type ErrorBody, type ErrorName, errorCatalogue, errorOf, placesIn } from '#protocol/errors.ts';
import { sizeWords } from './quantities.ts';
import type { Messages } from './shape.ts';
import { neverShown, type ShownError } from './shown-errors.ts';

/** A piece of what is said; `english` where there are no other words for it, so that it is read out as English. */
export interface Piece {
  readonly text: string;
  readonly english: boolean;
}

/** What the agent said, in the page's language as far as there are words. Pieces follow each other without a gap. */
export type Said = readonly Piece[];

type AgentWords = Pick<Messages, 'agent'>;

const own = (text: string): Said => (text === '' ? [] : [{ text, english: false }]);

/** As plain text, for a tooltip, a notification or a screen reader's news. */
export const plain = (said: Said): string => said.map(({ text }) => text).join('');

/** An error of the agent or of the service behind it, told by its code; `details` are read out of its sentence. */
export function failureWords({ code, message }: ErrorBody, { agent }: AgentWords): Said {
  const name = errorOf(code);
  return (name && worded(name, message, agent)) ?? phraseWords(message, { agent });
}

/** A sentence of the agent that came without a code: why it waits, what its log notes, a detail of an error. */
export function phraseWords(text: string, { agent }: AgentWords): Said {
  if (text === '') return [];
  const [, reason, seconds] = /^(.*); trying again in (\d+) s\.$/s.exec(text) ?? [];
  if (reason !== undefined && seconds !== undefined) {
    return [...phraseWords(`${reason}.`, { agent }), ...own(` ${agent.tryingAgain(formatted(seconds, 'number', agent.locale))}`)];
  }
  for (const [english, other] of Object.entries(agent.phrases)) {
    const places = placesIn(english, text);
    if (places) return own(filled(other, places, agent.locale));
  }
  for (const name of telling) {
    const said = placesIn(errorCatalogue[name].message, text) && worded(name, text, agent);
    if (said) return said;
  }
  return [{ text, english: agent.locale !== 'en' }];
}

/** With a capital and a full stop. */
export function sentenced(said: Said): Said {
  const last = said.length - 1;
  return said.map(({ text, english }, index) => {
    const begun = index === 0 ? text.charAt(0).toUpperCase() + text.slice(1) : text;
    return { text: index === last && !/[.!?…]$/.test(begun.trimEnd()) ? `${begun.trimEnd()}.` : begun, english };
  });
}

/** `null` where there are no words for it, or where its sentence is not the catalogue's and theirs need what stands in it. */
function worded(name: ErrorName, message: string, agent: AgentWords['agent']): Said | null {
  if (!isMet(name)) return null;
  const messages = agent.errors[name];
  const places = placesIn(errorCatalogue[name].message, message);
  if (!places) return messages.includes('{') ? null : own(messages);
  const { detail = '' } = places;
  const [before = '', after = ''] = messages.split('{detail}');
  return [
    ...own(filled(before, places, agent.locale)),
    ...(messages.includes('{detail}') ? phraseWords(detail, { agent }) : []),
    ...own(filled(after, places, agent.locale)),
  ];
}

const isMet = (name: ErrorName): name is ShownError => !neverShown.some((one) => one === name);

/** With what stands in its `{places}`; `{place:size}` is a number of bytes, and `{place:number}` any other, as the language has them. */
export const filled = (template: string, places: Readonly<Record<string, string>>, locale: string): string =>
  template.replace(/\{(\w+)(?::(size|number))?\}/g, (_, key: string, as?: 'size' | 'number') =>
    as ? formatted(places[key] ?? '', as, locale) : (places[key] ?? ''),
  );

/** A number as the agent writes it; what is none stays. */
function formatted(text: string, as: 'size' | 'number', locale: string): string {
  const value = Number(text);
  if (text.trim() === '' || !Number.isFinite(value)) return text;
  return as === 'size' ? sizeWords(value, locale) : new Intl.NumberFormat(locale).format(value);
}

/** Errors that can be told from others by their sentence alone. */
const telling = (Object.keys(errorCatalogue) as ErrorName[]).filter(
  (name) => errorCatalogue[name].message.replace(/\{\w+\}/g, '').replace(/[^a-z]/gi, '').length >= 10,
);
