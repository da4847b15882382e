import { describe, expect, it } from 'vitest';
import { type Draft, emptyDraft, faultsOf, hasFault, lastDay, nameOf, usualDays } from '#web/console/send/draft.ts';
import { heldName, proposedName } from '#web/console/send/proposed-name.ts';

const now = new Date(2026, 10, 23, 12);
const team = {
  max_email_recipients: 2,
  recipient_domains: [],
  password_required: false,
  max_expiry_days: 0,
  public_links_allowed: true,
  custom_expiry_enabled: true,
  custom_expiry_default: 10,
};
const draft = (changes: Partial<Draft> = {}): Draft => ({ ...emptyDraft(team), ...changes });

describe('what is said of a package', () => {
  it('is good with a name alone, as a link', () => {
    expect(hasFault(faultsOf(draft(), 'A001', team, now))).toBe(false);
    expect(faultsOf(draft(), '', team, now).name).toBe(true);
    expect(emptyDraft({ public_links_allowed: false }).way).toBe('mail');
  });

  it.each([
    ['', team, 'none'],
    ['mia', team, 'bad'],
    ['a@x.org, b@x.org, c@x.org', team, 'many'],
    ['a@x.org, A@x.org, b@x.org', team, undefined],
    ['a@x.org', { ...team, recipient_domains: ['y.org'] }, 'foreign'],
    ['a@Y.org', { ...team, recipient_domains: ['y.org'] }, undefined],
    // The service knows how a domain in another script is written.
    ['a@müller.example', { ...team, recipient_domains: ['xn--mller-kva.example'] }, undefined],
  ])('recipients %j', (recipients, of, kind) => {
    expect(faultsOf(draft({ way: 'mail', recipients }), 'x', of, now).recipients?.kind).toBe(kind);
  });

  it('keeps to the longest time, in days that end', () => {
    const most = { ...team, max_expiry_days: 3 };
    expect(lastDay(most, now)).toBe('2026-11-25');
    const dayFault = (day: string, of = most) => faultsOf(draft({ day }), 'x', of, now).day;
    expect([dayFault('2026-11-22'), dayFault('2026-11-23'), dayFault('2026-11-25'), dayFault('2026-11-26')]).toEqual([
      'past',
      null,
      null,
      'late',
    ]);
    expect(dayFault('2099-01-01', team)).toBe(null);
    expect([usualDays(team), usualDays(most), usualDays({ ...team, custom_expiry_default: -1 })]).toEqual([10, 3, -1]);
    expect(usualDays({ ...team, custom_expiry_enabled: false })).toBe(10);
  });

  it('knows numbers from words, and takes 0 for as many as people like', () => {
    const limitFault = (limit: string) => faultsOf(draft({ limit }), 'x', team, now).limit;
    expect(['', '0', '5', '999999'].map(limitFault)).toEqual([false, false, false, false]);
    expect(['x', '-1', '1.5', '05', '1000000'].map(limitFault)).toEqual([true, true, true, true, true]);
    expect(faultsOf(draft(), 'x', { ...team, password_required: true }, now).password).toBe(true);
  });
});

describe('the name', () => {
  it('is what was typed, else what was chosen', () => {
    expect(nameOf({ name: ' Day 12 ' }, 'A001')).toBe('Day 12');
    expect(nameOf({ name: ' \u202e ' }, 'A001')).toBe('A001');
  });

  it.each([
    [[], ''],
    [[{ path: '', name: 'cut.final.mov' }], 'cut.final'],
    [[{ path: '', name: '.profile' }], '.profile'],
    [
      [
        { path: 'A001', name: 'a.mov' },
        { path: 'A001/audio', name: 'b.wav' },
      ],
      'A001',
    ],
    [
      [
        { path: '', name: 'a.mov' },
        { path: 'A001', name: 'b.mov' },
      ],
      'a',
    ],
  ])('of %j is proposed as %j', (entries, name) => {
    expect(proposedName(entries)).toBe(name);
  });
});

it.each([
  ['day 1', 'day 1'],
  ['a:b?.mov', 'a_b_.mov'],
  ['what. ', 'what_'],
  ['', null],
  ['NUL', null],
])('a package holds %j of a provider as %j', (name, held) => {
  expect(heldName(name)).toBe(held);
});
