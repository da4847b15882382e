import { expect, test } from 'vitest';
import { openProvider } from '#providers/all.ts';
import { ProviderError } from '#providers/errors.ts';

const refusalOf = (name: 'frameio' | 'postlab', now: string): ProviderError => {
  try {
    openProvider(name, { developer_token: 'fio-u-secret', team_id: 'secret-key' }, { mayConnect: () => true, now: () => new Date(now) });
  } catch (error) {
    if (error instanceof ProviderError) return error;
    throw error;
  }
  throw new Error(`${name} can be opened.`);
};

test.each([
  ['2026-11-23T00:00:00Z', 'closes'],
  ['2026-12-01T00:00:00Z', 'closed'],
])("Frame.io's legacy API at %s: it %s on 1 December 2026, and V4 is named", (now, verb) => {
  const refusal = refusalOf('frameio', now);
  expect(refusal).toMatchObject({ code: 'not_offered', retry: 'never', blame: 'connection' });
  expect(refusal.message).toMatch(new RegExp(`^Frame.io ${verb} .*1 December 2026.*Frame.io \\(V4\\)\\.$`));
  expect(refusal.message).not.toContain('secret');
});

test('PostLab says why nothing can be brought there', () => {
  const refusal = refusalOf('postlab', '2026-11-23T00:00:00Z');
  expect(refusal).toMatchObject({ code: 'not_offered', retry: 'never', blame: 'connection' });
  expect(refusal.message).toMatch(/no public interface.*\.$/);
});
