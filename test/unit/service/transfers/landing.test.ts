import { describe, expect, it } from 'vitest';
import type { PathRules } from '#providers/ports.ts';
import { originalName } from '#service/transfers/delivery/names.ts';
import { landingFolder } from '#service/transfers/landing.ts';

const any: PathRules = { problem: () => null, ignoresCase: false };
const noColon: PathRules = { problem: (path) => (path.includes(':') ? 'No colons.' : null), ignoresCase: false };
const names = { portal: 'Dailies', package: 'Day 12', sender: 'mia@example.com', date: new Date('2026-11-28T23:59:59Z') };

describe('where a delivery lands', () => {
  it.each([
    ['', names, 'Portal Downloads/Dailies/Day 12'],
    ['', { ...names, portal: '' }, 'Longshore/Day 12'],
    ['/in/', names, 'in'],
    ['in/{date}/{portal}/{package} by {sender}', names, 'in/2026-11-28/Dailies/Day 12 by mia@example.com'],
    ['in/{portal}/{package}', { ...names, portal: '' }, 'in/Day 12'],
    ['{package}/{package}', names, 'Day 12/Day 12'],
    ['{unknown}', names, '{unknown}'],
  ])('%s', (template, facts, folder) => {
    expect(landingFolder(template, facts, any)).toBe(folder);
  });

  it('is one step for each name, whatever the name holds', () => {
    for (const name of ['a/b', '../..', '..', '.', '/', ' x ', '{portal}', 'a_x002F_b', '$&']) {
      const folder = landingFolder('in/{package}', { ...names, package: name }, any);
      const steps = folder.split('/');
      expect(steps).toHaveLength(2);
      expect(['.', '..', '']).not.toContain(steps[1]);
      expect(originalName(steps[1]!)).toBe(name.trim());
    }
  });

  it('has room for files, however long the names are', () => {
    const endless = '影'.repeat(255);
    const folder = landingFolder('', { ...names, portal: endless, package: `${':'.repeat(254)} ` }, noColon);
    expect(folder).toBe(`Portal Downloads/${'影'.repeat(66)}/${'_x003A_'.repeat(28)}`);
    expect(landingFolder('{package}', { ...names, package: '🎬'.repeat(127) }, any)).toBe('🎬'.repeat(50));
  });

  it('holds what the provider can hold', () => {
    expect(landingFolder('in/{package}', { ...names, package: '12:30' }, noColon)).toBe('in/12_x003A_30');
  });
});
