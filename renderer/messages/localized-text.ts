import { AgentCallError } from '#client/agent-call-error.ts';
import { type ErrorBody, type ErrorName, errorCatalogue, errorOf, placesIn } from '#protocol/errors.ts';
import { formatSize, hourDigits } from '#ui/format.ts';
import type { Messages } from './shape.ts';
import { neverShown, type ShownError } from './shown-errors.ts';

/** A part of a text. `english` marks text without a translation, so that a screen reader pronounces it as English. */
interface TextSegment {
  readonly text: string;
  readonly english: boolean;
}

/** A text of the agent, translated as far as possible. The segments follow each other without a gap. */
export type LocalizedText = readonly TextSegment[];

type AgentMessages = Pick<Messages, 'agent'>;

const own = (text: string): LocalizedText => (text === '' ? [] : [{ text, english: false }]);

/** As plain text, for a tooltip, a notification or a screen reader. */
export const plainText = (localized: LocalizedText): string => localized.map(({ text }) => text).join('');

/** The text for anything that was thrown, translated as far as possible. */
export function faultText(error: unknown, messages: Messages): LocalizedText {
  const { faults } = messages.app;
  if (!(error instanceof AgentCallError)) return own(error instanceof Error ? error.message : String(error));
  if (error.kind === 'offline') return own(faults.offline);
  // Not an answer of the agent: a proxy in between, for example.
  if (error.code === 0) return own(faults.status(String(error.status)));
  return errorText(error, messages);
}

/** The text of an error of the agent or the service. The code selects the text; its values are read out of the English message. */
export function errorText({ code, message }: ErrorBody, { agent }: AgentMessages): LocalizedText {
  const name = errorOf(code);
  return (name && catalogueText(name, message, agent)) ?? phraseText(message, { agent });
}

/** The text of an English sentence without a code: why a transfer waits, a log entry, a detail of an error. */
export function phraseText(text: string, { agent }: AgentMessages): LocalizedText {
  if (text === '') return [];
  const [, line, fault] = /^Line (\d+): (.*)$/s.exec(text) ?? [];
  if (line !== undefined && fault !== undefined) return [...own(agent.inLine(line)), ...phraseText(fault, { agent })];
  const [, reason, seconds] = /^(.*); trying again in (\d+) s\.$/s.exec(text) ?? [];
  if (reason !== undefined && seconds !== undefined) {
    return [...phraseText(`${reason}.`, { agent }), ...own(` ${agent.tryingAgain(formatNumber(seconds, 'number', agent.locale))}`)];
  }
  for (const [english, other] of Object.entries(agent.phrases)) {
    const values = placesIn(english, text);
    if (values) return own(fillTemplate(other, values, agent.locale));
  }
  for (const name of recognisable) {
    const localized = placesIn(errorCatalogue[name].message, text) && catalogueText(name, text, agent);
    if (localized) return localized;
  }
  return partText(text, { agent }) ?? [{ text, english: agent.locale !== 'en' }];
}

/** The text of a sentence that says before a colon what it is about, such as a path. `null` where it is not known. */
function partText(text: string, { agent }: AgentMessages): LocalizedText | null {
  const [, subject, reason] = /^(.*): (\p{Lu}.*)$/su.exec(text) ?? [];
  if (subject === undefined || reason === undefined) return null;
  const localized = phraseText(reason, { agent });
  return localized.some(({ english }) => english) ? null : [...own(`${subject}: `), ...localized];
}

/** Begins with a capital and ends with a full stop. */
export function asSentence(localized: LocalizedText): LocalizedText {
  const last = localized.length - 1;
  return localized.map(({ text, english }, index) => {
    const capitalized = index === 0 ? text.charAt(0).toUpperCase() + text.slice(1) : text;
    return { text: index === last && !/[.!?…]$/.test(capitalized.trimEnd()) ? `${capitalized.trimEnd()}.` : capitalized, english };
  });
}

/** The translation of an error, or `null`: there is none, or it needs values that `message` does not have in the catalogue's form. */
function catalogueText(name: ErrorName, message: string, agent: AgentMessages['agent']): LocalizedText | null {
  if (!isShown(name)) return null;
  const template = agent.errors[name];
  const values = placesIn(errorCatalogue[name].message, message);
  if (!values) return template.includes('{') ? null : own(template);
  const { detail = '' } = values;
  const [before = '', after = ''] = template.split('{detail}');
  return [
    ...own(fillTemplate(before, values, agent.locale)),
    ...(template.includes('{detail}') ? phraseText(detail, { agent }) : []),
    ...own(fillTemplate(after, values, agent.locale)),
  ];
}

const isShown = (name: ErrorName): name is ShownError => !neverShown.some((one) => one === name);

/**
 * Replaces `{key}` by its value. `{key:size}` is a number of bytes, `{key:number}` any other number, `{key:time}` a moment
 * in UTC; they are formatted for the locale.
 */
export const fillTemplate = (template: string, values: Readonly<Record<string, string>>, locale: string): string =>
  template.replace(/\{(\w+)(?::(size|number|time))?\}/g, (_, key: string, as?: 'size' | 'number' | 'time') => {
    const value = values[key] ?? '';
    if (as === undefined) return value;
    return as === 'time' ? formatTime(value, locale) : formatNumber(value, as, locale);
  });

/** Formats a moment that the agent wrote as ISO 8601, or as `2026-11-20 18:00 UTC`. Other text is returned unchanged. */
function formatTime(text: string, locale: string): string {
  const at = new Date(text.replace(/^(\d{4}-\d\d-\d\d) (\d\d:\d\d) UTC$/, '$1T$2Z'));
  if (Number.isNaN(at.getTime())) return text;
  return new Intl.DateTimeFormat(locale, {
    weekday: 'short',
    day: 'numeric',
    month: 'short',
    hour: hourDigits(locale),
    minute: '2-digit',
  }).format(at);
}

/** Formats a number that the agent wrote as digits. Other text is returned unchanged. */
function formatNumber(text: string, as: 'size' | 'number', locale: string): string {
  const value = Number(text);
  if (text.trim() === '' || !Number.isFinite(value)) return text;
  return as === 'size' ? formatSize(value, locale) : new Intl.NumberFormat(locale).format(value);
}

/** Errors whose message has enough fixed text to be recognised without the code. */
const recognisable = (Object.keys(errorCatalogue) as ErrorName[]).filter(
  (name) => errorCatalogue[name].message.replace(/\{\w+\}/g, '').replace(/[^a-z]/gi, '').length >= 10,
);
