import { describe, expect, it } from 'vitest';
import { AgentCallError } from '#client/agent-call-error.ts';
import type { Automation } from '#protocol/agent/automations/automation.ts';
import { AgentError } from '#protocol/errors.ts';
import { beginningOfTime, type Draft, draftOf, newDraft } from '#renderer/automations/editor/draft.ts';
import { faultyField } from '#renderer/automations/editor/faulty-field.ts';
import { changesOf, fieldsOf, problemsOf } from '#renderer/automations/editor/fields.ts';
import { exampleOf, withToken } from '#renderer/automations/editor/package-name-example.ts';
import { sampleAllPortalsDownload, samplePortalDownload, samplePortalUpload, sampleTeamUpload } from '#test/support/browser/samples.ts';

const known = { teamId: 'team-1', sender: 'mia@harbour.example' };
const upload = (change: Partial<Draft> = {}): Draft => ({ ...newDraft('team_upload', known), folder: ' /media/renders ', ...change });

describe('the fields of a draft', () => {
  it('are those of its kind alone, without what was left empty', () => {
    expect(fieldsOf(upload({ include: '*.mov\n\n *.wav ', dstFolder: '/elsewhere', portal: 'northlight', marker: '*.mhl' }))).toEqual({
      name: 'renders',
      active: true,
      folder: '/media/renders',
      recursive: true,
      existing: false,
      include: ['*.mov', '*.wav'],
      settle_seconds: 30,
      package_per: 'entry',
      growing: false,
      growing_idle_seconds: 60,
      by_content: false,
      after: 'keep',
      team_id: 'team-1',
      recipients: [],
    });
  });

  it('name a Portal by its address or by its id, with its answers and where they come from', () => {
    const draft: Draft = {
      ...upload({ kind: 'portal_upload', portal: 'https://files.northlight.example/p/northlight', accessCode: 'harbour' }),
      answers: { camera: 'A', notes: ' ', checks: ['Sound'], day: false },
      sources: {
        reel: { source: 'folder', level: 1 },
        half: { source: 'sidecar', file: '*.json', key: '' },
      },
    };
    expect(fieldsOf(draft)).toMatchObject({
      subdomain: 'northlight',
      service_url: 'https://files.northlight.example',
      access_code: 'harbour',
      sender: 'mia@harbour.example',
      form: { camera: { value: 'A' }, checks: { value: ['Sound'] } },
      form_from: { reel: { source: 'folder', level: 1 } },
    });
    expect(Object.keys(fieldsOf(draft))).not.toContain('team_id');
    expect(problemsOf(draft)).toEqual({ sources: 'sourceLacks' });
    expect(fieldsOf({ ...draft, portal: '', portalId: 'portal-1' })).toMatchObject({ portal_id: 'portal-1' });
  });

  it('begin with what arrives now, with all, or with the midnight of a day here', () => {
    const draft: Draft = { ...newDraft('all_portals_download', known), dstFolder: '/media/in' };
    expect(fieldsOf(draft)).not.toHaveProperty('since');
    expect(fieldsOf({ ...draft, since: 'all' })).toMatchObject({ since: beginningOfTime });
    const { since } = fieldsOf({ ...draft, since: '2026-11-02' }) as { since: string };
    expect(new Date(since).getHours()).toBe(0);
    expect(draftOf(sampleAllPortalsDownload({ since })).since).toBe('2026-11-02');
  });
});

describe('a change of an automation', () => {
  it.each([sampleTeamUpload(), samplePortalUpload(), samplePortalDownload(), sampleAllPortalsDownload()])(
    'is empty where nothing was changed ($kind)',
    (automation) => {
      expect(changesOf(automation, draftOf(automation))).toEqual({});
    },
  );

  it('has what is different, and takes out what was emptied', () => {
    const automation = sampleTeamUpload({ include: ['*.mov'], package_name: '{folder}', priority: 'normal', due_within_seconds: 5_400 });
    const draft: Draft = { ...draftOf(automation), include: '', packageName: ' ', existing: true, growing: true };
    expect(changesOf(automation, draft)).toEqual({ existing: true, growing: true, include: null, package_name: null });
    expect(changesOf(automation, { ...draftOf(automation), dueHours: '' })).toEqual({ due_within_seconds: null });
  });

  it('names a Portal anew that was known by its id', () => {
    const { subdomain: _, ...byId } = samplePortalUpload({ portal_id: 'portal-1' }) as Extract<Automation, { kind: 'portal_upload' }>;
    expect(changesOf(byId, draftOf(byId))).toEqual({});
    expect(changesOf(byId, { ...draftOf(byId), portal: 'northlight' })).toEqual({ portal_id: null, subdomain: 'northlight' });
  });

  it('has an access code only where one was typed', () => {
    const automation = samplePortalUpload({ has_access_code: true });
    expect(changesOf(automation, { ...draftOf(automation), accessCode: 'new' })).toEqual({ access_code: 'new' });
  });
});

describe('what has to be mended first', () => {
  it.each<[string, Draft, object]>([
    ['a folder that is none', upload({ folder: 'renders' }), { folder: 'partial' }],
    ['no folder to move to', upload({ after: 'move' }), { moveTo: 'needed' }],
    ['no Team, and no name', upload({ teamId: '', name: ' ' }), { teamId: 'needed', name: 'needed' }],
    ['no Portal', { ...newDraft('portal_download', known), dstFolder: '/in' }, { portalId: 'needed' }],
    ['no day', { ...newDraft('all_portals_download', known), dstFolder: '/in', since: '' }, { since: 'dayBad' }],
    [
      'what is no Portal',
      upload({ kind: 'portal_upload', portal: 'North light', sender: 'mia' }),
      { portal: 'portalBad', sender: 'emailBad' },
    ],
    ['what is no number of hours', upload({ dueHours: '-1' }), { dueHours: 'hoursBad' }],
    ['nothing', upload({ dueHours: '1.5' }), {}],
  ])('is %s', (_, draft, problems) => {
    expect(problemsOf(draft)).toEqual(problems);
  });
});

describe('an error of the agent', () => {
  const failure = (...of: ConstructorParameters<typeof AgentError>): AgentCallError => {
    const { status, body } = new AgentError(...of);
    return AgentCallError.answered(status, JSON.stringify(body));
  };
  const moving = upload({ after: 'move', moveTo: '/media/sent' });
  it.each<[AgentCallError, Draft, keyof Draft | null]>([
    [failure('invalid_request', { detail: 'The field package_name cannot be used: {x} stands for nothing.' }), moving, 'packageName'],
    [failure('invalid_request', { detail: 'The field form_from.reel.pattern is too long.' }), upload({ kind: 'portal_upload' }), 'sources'],
    [failure('invalid_request', { detail: 'A pattern cannot be read: [' }), moving, 'include'],
    [failure('path_not_found', { path: '/media/renders' }), moving, 'folder'],
    [failure('path_not_found', { path: '/media/sent' }), moving, 'moveTo'],
    [failure('folders_overlap', { folder: '/media/sent', other: '/media', detail: 'x' }), moving, 'moveTo'],
    [failure('path_not_found', { path: '/in' }), newDraft('portal_download', known), 'dstFolder'],
    [failure('already_exists', { detail: 'An automation of this name.' }), moving, 'name'],
    [failure('access_code_wrong'), upload({ kind: 'portal_upload' }), 'accessCode'],
    [failure('not_found', { resource: 'Portal' }), upload({ kind: 'portal_upload' }), 'portal'],
    [failure('service_unreachable', { url: 'https://x', detail: 'x' }), moving, null],
  ])('stands at the field that it is about: %s', (error, draft, field) => {
    expect(faultyField(error, draft)).toBe(field);
  });
});

describe('the name of a package', () => {
  it('has an example of now', () => {
    const at = new Date(2026, 10, 2, 9, 5, 7);
    const parts = { name: 'A001', folder: 'renders', at };
    expect(exampleOf('{folder} {date} {time} {counter} {other}', parts)).toBe('renders 2026-11-02 09-05-07 7 {other}');
    expect(exampleOf(' ', parts)).toBe('A001');
  });

  it('takes a token where the caret stands', () => {
    expect(withToken('a-b', 'date', 2, 3)).toEqual({ text: 'a-{date}', caret: 8 });
  });
});
