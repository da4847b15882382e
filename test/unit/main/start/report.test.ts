import { describe, expect, it } from 'vitest';
import { addressReport, crossingReport } from '#main/start/report.ts';

const crossing = {
  link: 'http://h/d/1?secret=x',
  received: '/data/received/p1',
  up: { files: 2, bytes: 2_000_000, seconds: 0.5 },
  down: { files: 2, bytes: 2_000_000, seconds: 0.25 },
  comparison: { files: 2, bytes: 2_000_000, differences: [] as string[] },
};

describe('what a crossing came to', () => {
  it('says sizes, speeds and that every byte is the same', () => {
    const text = crossingReport('/media/A001', crossing);
    expect(text).toContain('Sent      /media/A001\n          2 files, 2.00 MB in 0.50 s: 4.00 MB/s');
    expect(text).toContain('Received  /data/received/p1\n          2 files, 2.00 MB in 0.25 s: 8.00 MB/s');
    expect(text).toContain('every byte is the same');
  });

  it('names what differs, the first of many', () => {
    const differences = Array.from({ length: 25 }, (_, index) => `f${index} has other bytes`);
    const text = crossingReport('/a', { ...crossing, comparison: { ...crossing.comparison, differences } });
    expect(text).toContain('25 differences');
    expect(text).toContain('f19 has other bytes');
    expect(text).not.toContain('f20 has');
    expect(text).toContain('and 5 more');
    expect(text).not.toContain('every byte is the same');
  });
});

describe('where everything is', () => {
  const places = {
    agentUrl: 'http://127.0.0.1:8090',
    serviceUrl: 'http://127.0.0.1:8080',
    link: 'http://h/d/1?secret=x',
    mailsUrl: 'http://127.0.0.1:4711/guess',
    owner: { email: 'owner@longshore.example', password: 'pass-word' },
    factsFile: '/data/start.json',
  };
  it('shows the password at the first start, and later where it is kept', () => {
    expect(addressReport({ ...places, first: true })).toContain('password pass-word');
    expect(addressReport({ ...places, first: false })).not.toContain('pass-word');
    expect(addressReport({ ...places, first: false })).toContain('/data/start.json');
  });

  it('begins with the page on which a Team is run, and says where its mails are where none are sent', () => {
    const lines = addressReport({ ...places, first: true })
      .trim()
      .split('\n');
    expect(lines[0]).toBe('The console        http://127.0.0.1:8080/');
    expect(lines).toContain('Mails              http://127.0.0.1:4711/guess');
    expect(addressReport({ ...places, mailsUrl: null, first: true })).not.toContain('Mails');
  });
});
