import type { Automation } from '#protocol/agent/automations/automation.ts';
import type { Format } from '../messages/format.ts';
import { asSentence, type LocalizedText, phraseText } from '../messages/localized-text.ts';
import type { Tone } from '../transfers/describe-transfer.ts';

/** The texts about an automation, in the page's language. Pure. */

type AutomationFormat = Pick<Format, 'messages' | 'number' | 'moment'>;

/** Names that an automation has only ids of; undefined where they are not known. */
export interface AutomationNames {
  readonly team: (id: string) => string | undefined;
  readonly portal: (id: string) => string | undefined;
}

export type UploadAutomation = Extract<Automation, { kind: 'team_upload' | 'portal_upload' }>;

export const isUpload = (automation: Automation): automation is UploadAutomation =>
  automation.kind === 'team_upload' || automation.kind === 'portal_upload';

/** The folder that it watches, or that it fetches into. */
export const folderOf = (automation: Automation): string => (isUpload(automation) ? automation.folder : automation.dst_folder);

/** The other end: the Team or Portal that it sends to, or fetches from. */
export function partnerOf({ messages }: Pick<AutomationFormat, 'messages'>, automation: Automation, names: AutomationNames): string {
  const texts = messages.automations;
  switch (automation.kind) {
    case 'team_upload': {
      const team = names.team(automation.team_id);
      return team === undefined ? texts.someTeam : texts.team(team);
    }
    case 'all_portals_download': {
      const team = names.team(automation.team_id);
      return team === undefined ? texts.allPortalsOfSome : texts.allPortals(team);
    }
    case 'portal_upload':
    case 'portal_download': {
      const { portal_id: id } = automation;
      const name = (id === undefined ? undefined : names.portal(id)) ?? ('subdomain' in automation ? automation.subdomain : undefined);
      return name === undefined ? texts.somePortal : texts.portal(name);
    }
  }
}

/** From where to where, in its direction. */
export function flowOf(
  format: Pick<AutomationFormat, 'messages'>,
  automation: Automation,
  names: AutomationNames,
): readonly [string, string] {
  const partner = partnerOf(format, automation, names);
  const folder = folderOf(automation);
  return isUpload(automation) ? [folder, partner] : [partner, folder];
}

interface AutomationDescription {
  readonly tone: Tone;
  /** One or two words. */
  readonly label: string;
  /** What is wrong, or what it waits for; empty if neither. */
  readonly detail: LocalizedText;
}

const toneOf: Readonly<Record<Automation['state'], Tone>> = {
  watching: 'good',
  working: 'moving',
  resting: 'calm',
  // It goes on by itself once it can.
  error: 'waiting',
  needs_you: 'bad',
};

export function describeAutomation({ messages, number }: AutomationFormat, automation: Automation): AutomationDescription {
  const { state: texts, questions } = messages.automations;
  const { state, message, waiting_for: waitingFor, counts } = automation;
  const label = state === 'working' ? (isUpload(automation) ? texts.sending : texts.receiving) : texts[state];
  const asked = counts.questions > 0 ? own(questions(number(counts.questions), counts.questions === 1)) : [];
  // What it waits for begins with a path, which keeps its small letters.
  const detail = message !== '' ? asSentence(phraseText(message, messages)) : asked.length > 0 ? asked : phraseText(waitingFor, messages);
  return { tone: toneOf[state], label, detail };
}

const own = (text: string): LocalizedText => [{ text, english: false }];

/** Its figures: what was sent, what waits or failed, when it looked and looks again. */
export function factsOf({ messages, number, moment }: AutomationFormat, automation: Automation): readonly string[] {
  const texts = messages.automations;
  const { counts, state, waiting_since: since, last_run_at: last, next_scan_at: next } = automation;
  return [
    (isUpload(automation) ? texts.sent : texts.received)(number(counts.sent)),
    counts.waiting > 0 ? texts.waiting(number(counts.waiting), counts.waiting === 1) + (since ? ` ${texts.since(moment(since))}` : '') : '',
    counts.failed > 0 ? texts.failed(number(counts.failed)) : '',
    last ? texts.lastRun(moment(last)) : texts.neverRan,
    next && state !== 'resting' ? texts.nextScan(moment(next)) : '',
  ].filter((fact) => fact !== '');
}

/** How many things of it a person has to look at: its questions, or itself. */
export const needsOf = ({ state, counts }: Automation): number => (state === 'needs_you' ? Math.max(1, counts.questions) : 0);

/** In the order of their names, those that `search` matches: by name or folder. */
export function listed(automations: readonly Automation[], search: string, tag: string): readonly Automation[] {
  const wanted = search.trim().toLocaleLowerCase(tag);
  const { compare } = new Intl.Collator(tag, { numeric: true });
  return automations
    .filter((one) => wanted === '' || `${one.name}\n${folderOf(one)}`.toLocaleLowerCase(tag).includes(wanted))
    .toSorted((a, b) => compare(a.name, b.name) || compare(a.id, b.id));
}
