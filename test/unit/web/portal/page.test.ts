import { describe, expect, it } from 'vitest';
import { ServiceError, TransferError } from '#client/errors.ts';
import { inkOn, luminance } from '#web/common/brand-frame.tsx';
import { de } from '#web/messages/de/portal.ts';
import { en } from '#web/messages/en/portal.ts';
import { localeFor } from '#web/messages/portal.ts';
import { handOverAddress } from '#web/portal/page/hand-over-address.ts';
import { parsePortalAddress } from '#web/portal/page/portal-address.ts';
import { faultText } from '#web/sending/view/faults.ts';

/** A catalogue with every sentence made, by its place. */
function sentences(messages: object, at = ''): Map<string, string> {
  const all = new Map<string, string>();
  for (const [key, value] of Object.entries(messages)) {
    const place = at === '' ? key : `${at}.${key}`;
    if (typeof value === 'string') all.set(place, value);
    else if (typeof value === 'function') all.set(place, String(value('{0}', '{1}', '{2}', '{3}')));
    else for (const [inner, text] of sentences(value, place)) all.set(inner, text);
  }
  return all;
}

describe('the messages', () => {
  const [english, german] = [sentences(en), sentences(de)];

  it('are there in every language, with every place filled', () => {
    expect([...german.keys()].sort()).toEqual([...english.keys()].sort());
    const places = (text: string) => [...text.matchAll(/\{\d\}/g)].map(([place]) => place).sort();
    for (const [key, text] of english) {
      expect(german.get(key)!.trim()).not.toBe('');
      expect([key, places(german.get(key)!)]).toEqual([key, places(text)]);
    }
  });

  it('are translated', () => {
    const same = [...english].filter(([key, text]) => /[a-z]{3}/i.test(text) && german.get(key) === text).map(([key]) => key);
    expect(same).toEqual(['receipt.size']);
  });

  it('are chosen by what somebody reads first', () => {
    expect(localeFor(['fr-FR', 'de-AT', 'en']).tag).toBe('de-AT');
    expect(localeFor(['en-GB', 'de']).language).toBe('en');
    expect(localeFor(['fr']).language).toBe('en');
    expect(localeFor([]).language).toBe('en');
  });

  const said = (text: string): string => text;

  it('say what is the matter, and the service what they do not know', () => {
    expect(faultText(new TransferError('source_gone', 'x'), { messages: de, said })).toBe(de.faults.gone);
    expect(faultText(new ServiceError('service_storage_full', {}, { answered: 507 }), { messages: en, said })).toBe(en.faults.full);
    expect(faultText(new ServiceError('invalid_request', {}, { answered: 400, message: 'name: too odd.' }), { messages: en, said })).toBe(
      'name: too odd.',
    );
  });
});

describe('a brand colour', () => {
  it.each(['#000000', '#ffffff', '#7a2e8f', '#ffd23f', '#808080', '#767676', '#0b6b74'])('%s has an ink that is read', (colour) => {
    const [lighter, darker] = [luminance(colour), luminance(inkOn(colour))].sort((a, b) => b - a);
    expect((lighter! + 0.05) / (darker! + 0.05)).toBeGreaterThanOrEqual(4.5);
  });
});

describe("the page's address", () => {
  it.each([
    ['https://files.example.com/p/northlight', { subdomain: 'northlight', baseUrl: 'https://files.example.com' }],
    ['https://example.com/transfer/p/north-light/', { subdomain: 'north-light', baseUrl: 'https://example.com/transfer' }],
    ['https://north-light.example.com/', { subdomain: 'north-light', baseUrl: 'https://north-light.example.com' }],
    ['http://northlight.localhost:8080/?x', { subdomain: 'northlight', baseUrl: 'http://northlight.localhost:8080' }],
    ['https://ab.example.com/', null],
    ['https://northlight.example.com/other', null],
    ['http://localhost/', null],
    ['https://example.com/p/', null],
    ['https://example.com/p/No', null],
    ['https://example.com/p/northlight/more', null],
  ])('%s', (address, place) => {
    expect(parsePortalAddress(new URL(address))).toEqual(place);
  });
});

describe('the hand-over to the agent', () => {
  const facts = { baseUrl: 'https://files.example.com', subdomain: 'northlight', name: '', description: '', sender: '' };

  it('carries what was typed, and nothing empty', () => {
    const address = new URL(handOverAddress({ ...facts, name: 'Day & night', sender: 'mia@example.com' }));
    expect(Object.fromEntries(address.searchParams)).toEqual({
      service: facts.baseUrl,
      portal: 'northlight',
      name: 'Day & night',
      sender: 'mia@example.com',
    });
  });

  it('leaves a long description behind, so that systems pass it on', () => {
    const address = handOverAddress({ ...facts, name: 'Day 12', description: 'ü'.repeat(2_000) });
    expect(address.length).toBeLessThan(2_000);
    expect(address).toContain('name=Day+12');
  });
});
