import { describe, expect, it } from 'vitest';
import { emptySendDraft, fromStored, isFilled, type SendDraft, stillLost, toStored } from '#web/console/send/kept-draft.ts';
import type { Entry } from '#web/sending/files/entry.ts';

const team = { public_links_allowed: true };
const entry = (path: string, name: string): Entry => ({ kind: 'file', path, name, size: 1, lastModified: 0, file: null, root: null });
const draft = (change: Partial<SendDraft> = {}): SendDraft => ({ ...emptySendDraft(team), ...change });
const fields = (change: Partial<SendDraft['fields']>): SendDraft['fields'] => ({ ...emptySendDraft(team).fields, ...change });

describe('a draft of what is to be sent', () => {
  it('is kept without its password and its files, whose names are said', () => {
    const filled = draft({
      fields: fields({
        way: 'mail',
        recipients: 'mia@x.org',
        message: 'A and B camera',
        password: 'harbour',
        day: '2026-12-24',
        verify: false,
      }),
      entries: [entry('A001/audio', 't1.wav'), entry('A001', 'c1.mov'), entry('', 'notes.txt')],
    });
    const stored = toStored(filled);
    expect(stored).not.toContain('harbour');
    expect(fromStored(stored, team)).toEqual({
      ...filled,
      fields: { ...filled.fields, password: '' },
      entries: [],
      lost: ['A001', 'notes.txt'],
      passwordLost: true,
    });
  });

  it('names what is still to be chosen again, also after another reload', () => {
    const again = draft({ lost: ['A001', 'notes.txt'], entries: [entry('', 'notes.txt'), entry('', 'new.mov')] });
    expect(stillLost(again)).toEqual(['A001']);
    expect(fromStored(toStored(again), team).lost.toSorted()).toEqual(['A001', 'new.mov', 'notes.txt']);
  });

  it('keeps what was chosen in a cloud', () => {
    const chosen = [{ id: 'dailies/a.mov', name: 'a.mov', kind: 'file', size: 5 }] as const;
    const filled = draft({ source: 'cloud', connectionId: 'c1', chosen });
    expect(fromStored(toStored(filled), team)).toEqual(filled);
  });

  it('is not kept where there is nothing in it, and the way alone is nothing', () => {
    expect([isFilled(draft()), toStored(draft({ fields: fields({ way: 'mail' }), source: 'cloud' }))]).toEqual([false, null]);
    expect(isFilled(draft({ fields: fields({ verify: false }) }))).toBe(true);
  });

  it('fits what the Team allows now', () => {
    const stored = toStored(draft({ fields: fields({ way: 'link', name: 'Dailies' }) }));
    expect(fromStored(stored, { public_links_allowed: false }).fields).toMatchObject({ way: 'mail', name: 'Dailies' });
  });

  it.each([
    null,
    '',
    'no JSON',
    '5',
    '[]',
    '{"fields":7,"lost":{},"chosen":[null,{"id":1}],"source":"x"}',
    '{"fields":{"name":5,"verify":"x"}}',
  ])('is empty where %j was kept', (stored) => {
    expect(fromStored(stored, team)).toEqual(draft());
  });
});
