import { describe, expect, it } from 'vitest';
import { AgentCallError } from '#client/agent-call-error.ts';
import type { Automation } from '#protocol/agent/automations/automation.ts';
import { ApiError } from '#protocol/errors.ts';
import { type AutomationNames, describeAutomation, factsOf, flowOf, listed, needsOf } from '#renderer/automations/describe-automation.ts';
import { lineOfFault, rangeOfLine } from '#renderer/automations/exchange/line-of-fault.ts';
import { catalogues } from '#renderer/messages/catalogues.ts';
import { plainText } from '#renderer/messages/localized-text.ts';
import { sampleAllPortalsDownload, samplePortalDownload, samplePortalUpload, sampleTeamUpload } from '#test/support/browser/samples.ts';

const format = { messages: catalogues.en, number: String, moment: (iso: string) => iso.slice(11, 16) };
const named: AutomationNames = {
  team: (id) => (id === 'team-1' ? 'Harbour' : undefined),
  portal: (id) => (id === 'portal-1' ? 'Northlight' : undefined),
};
const nameless: AutomationNames = { team: () => undefined, portal: () => undefined };
const counts = { sent: 0, waiting: 0, failed: 0, questions: 0 };

describe('from where to where', () => {
  it.each<[Automation, AutomationNames, readonly [string, string]]>([
    [sampleTeamUpload(), named, ['/media/renders', 'Team Harbour']],
    [sampleTeamUpload(), nameless, ['/media/renders', 'a Team']],
    [samplePortalUpload(), nameless, ['/media/cart', 'Portal northlight']],
    [samplePortalUpload({ subdomain: undefined, portal_id: 'portal-1' } as object), named, ['/media/cart', 'Portal Northlight']],
    [samplePortalDownload(), named, ['Portal Northlight', '/media/incoming']],
    [samplePortalDownload(), nameless, ['a Portal', '/media/incoming']],
    [sampleAllPortalsDownload(), named, ['all Portals of Harbour', '/media/archive']],
  ])('%#', (automation, names, flow) => {
    expect(flowOf(format, automation, names)).toEqual(flow);
  });
});

describe('how an automation stands', () => {
  const told = (automation: Automation) => {
    const { tone, label, detail } = describeAutomation(format, automation);
    return [tone, label, plainText(detail)];
  };
  it.each<[string, Automation, readonly string[]]>([
    ['watches', sampleTeamUpload(), ['good', 'Watching', '']],
    ['sends', sampleTeamUpload({ state: 'working' }), ['moving', 'Sending', '']],
    ['receives', samplePortalDownload({ state: 'working' }), ['moving', 'Receiving', '']],
    ['rests', sampleTeamUpload({ state: 'resting', active: false }), ['calm', 'Paused', '']],
    [
      'waits for a file, whose name keeps its small letters',
      sampleTeamUpload({ waiting_for: 'a001.mov: Another program has it open for writing.' }),
      ['good', 'Watching', 'a001.mov: Another program has it open for writing.'],
    ],
    [
      'says what is in the way before what it waits for',
      sampleTeamUpload({ state: 'error', message: 'it is not a folder.', waiting_for: 'a001.mov' }),
      ['waiting', 'Held up', 'It is not a folder.'],
    ],
    [
      'asks',
      samplePortalUpload({ state: 'needs_you', counts: { ...counts, questions: 1 } }),
      ['bad', 'Needs you', '1 question waits for your answer.'],
    ],
    [
      'says what else is wrong before it asks',
      samplePortalUpload({ state: 'needs_you', message: 'Some failed.', counts: { ...counts, questions: 2 } }),
      ['bad', 'Needs you', 'Some failed.'],
    ],
  ])('%s', (_, automation, expected) => {
    expect(told(automation)).toEqual(expected);
  });

  it('has its figures, without those that say nothing', () => {
    expect(factsOf(format, sampleTeamUpload())).toEqual(['412 sent', 'last look 08:05', 'next look 08:10']);
    const resting = samplePortalDownload({
      state: 'resting',
      active: false,
      last_run_at: undefined,
      counts: { ...counts, failed: 2 },
    } as object);
    expect(factsOf(format, resting)).toEqual(['0 received', '2 failed', 'has not looked yet']);
    const waiting = sampleTeamUpload({ counts: { ...counts, waiting: 3 }, waiting_since: '2026-11-20T08:02:00.000Z' });
    expect(factsOf(format, waiting)[1]).toBe('3 waiting since 08:02');
  });

  it('needs a person as often as it asks, and once where something else is wrong', () => {
    expect(needsOf(sampleTeamUpload())).toBe(0);
    expect(needsOf(sampleTeamUpload({ state: 'needs_you', counts: { ...counts, failed: 7 } }))).toBe(1);
    expect(needsOf(samplePortalUpload({ state: 'needs_you', counts: { ...counts, questions: 3 } }))).toBe(3);
    // A pause asks nothing.
    expect(needsOf(samplePortalUpload({ state: 'resting', counts: { ...counts, questions: 3 } }))).toBe(0);
  });
});

it('they are listed by name, as people count, and found by name or folder', () => {
  const all = [
    sampleTeamUpload({ id: '1', name: 'Unit 10', folder: '/media/ten' }),
    sampleTeamUpload({ id: '2', name: 'unit 2', folder: '/media/Two' }),
    samplePortalDownload({ id: '3', name: 'Ärger', dst_folder: '/media/in' }),
    sampleTeamUpload({ id: '4', name: 'Zoo', folder: '/media/zoo' }),
  ];
  const ids = (search: string) => listed(all, search, 'de').map(({ id }) => id);
  expect(ids('')).toEqual(['3', '2', '1', '4']);
  expect(ids(' UNIT ')).toEqual(['2', '1']);
  expect(ids('/two')).toEqual(['2']);
  expect(ids('/media/in')).toEqual(['3']);
});

describe('the line that an import is wrong in', () => {
  const fault = (error: ApiError) => AgentCallError.answered(error.status, JSON.stringify(error.body));
  it('is read out of what the agent says', () => {
    expect(lineOfFault(fault(new ApiError('invalid_request', { detail: 'Line 12: folder is missing.' })))).toBe(12);
    expect(lineOfFault(fault(new ApiError('invalid_request', { detail: 'It is too long.' })))).toBeNull();
    expect(lineOfFault(new Error('Line 3: no.'))).toBeNull();
  });
  it('is found in the text', () => {
    const text = 'automations:\r\n  - name: A\n    kind: b';
    const line = (number: number) => text.slice(...rangeOfLine(text, number));
    expect([1, 2, 3, 4].map(line)).toEqual(['automations:', '  - name: A', '    kind: b', '']);
    expect(rangeOfLine(text, 99)).toEqual([text.length, text.length]);
  });
});
