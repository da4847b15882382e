import { describe, expect, it } from 'vitest';
import { type AuditReport, auditVerdict } from '#test/support/run/audit.ts';

const url = 'https://github.com/advisories/GHSA-0000-0000-0000';
const report: AuditReport = {
  vulnerabilities: {
    undici: {
      severity: 'high',
      range: '<8.12.5',
      fixAvailable: { name: 'undici', version: '8.12.5' },
      via: [{ url, title: 'Answers are mixed up', severity: 'high' }],
    },
    fetcher: { severity: 'high', range: '*', fixAvailable: true, via: ['undici'] },
  },
};

describe('the audit of packages', () => {
  it('fails for an advisory, names it once, and says what to do', () => {
    expect(auditVerdict(report, [], '2027-01-31')).toEqual({
      lines: [`high: undici <8.12.5: Answers are mixed up (${url}); update undici to 8.12.5`],
      exitCode: 1,
    });
  });

  it('lets an accepted one pass until its day is over', () => {
    const accepted = [{ url, until: '2027-01-31', reason: 'we ask one at a time' }];
    expect(auditVerdict(report, accepted, '2027-01-31').exitCode).toBe(0);
    expect(auditVerdict(report, accepted, '2027-02-01').exitCode).toBe(1);
  });

  it('passes where nothing is known', () => {
    expect(auditVerdict({ vulnerabilities: {} }, [], '2027-01-31')).toEqual({
      lines: ['No known faults in packages that run.'],
      exitCode: 0,
    });
  });

  it('passes in words where the registry cannot be asked', () => {
    expect(auditVerdict({ message: '405 Method Not Allowed' }, [], '2027-01-31')).toEqual({
      lines: ['No audit: the registry could not be asked (405 Method Not Allowed).'],
      exitCode: 0,
    });
  });
});
