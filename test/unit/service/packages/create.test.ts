import { describe, expect, it } from 'vitest';
import { distinctRecipients } from '#service/packages/create.ts';

describe('recipients', () => {
  it('are stored once each, as first written and in the given order', () => {
    expect(distinctRecipients(['B@x.org', 'a@x.org', 'b@X.org', 'A@x.org', 'c@x.org'])).toEqual(['B@x.org', 'a@x.org', 'c@x.org']);
    expect(distinctRecipients([])).toEqual([]);
  });
});
