import { describe, expect, it } from 'vitest';
import { mailOutcome } from '#service/links/mail-outcome.ts';
import { heldBackReason } from '#service/mail/held-back.ts';

describe('how the mail of a link went', () => {
  it.each([
    ['sent', '', { state: 'sent' }],
    ['waiting', '', { state: 'waiting' }],
    ['waiting', 'connect ECONNREFUSED 10.0.0.3:25', { state: 'waiting', problem: 'delayed' }],
    ['gave_up', 'AUTH PLAIN: 535 Authentication failed for longshore@mail.internal', { state: 'failed', problem: 'unreachable' }],
    ['withdrawn', 'The link has ended.', { state: 'withdrawn' }],
    ['withdrawn', heldBackReason, { state: 'failed', problem: 'held_back' }],
  ] as const)('%s, %s', (state, last_error, outcome) => {
    expect(mailOutcome({ state, last_error })).toEqual(outcome);
  });

  it.each([
    ['RCPT TO: 550 5.1.1 <post@example.com>: Recipient address rejected: User unknown', 'no_mailbox'],
    ['RCPT TO: 550 No such user here', 'no_mailbox'],
    ['RCPT TO: 552 5.2.2 Over quota', 'mailbox_full'],
    ['DATA: 554 5.7.1 Message rejected as spam by Content Filtering', 'unwanted'],
    ['RCPT TO: 550 Not today', 'refused'],
  ])('refused: %s', (last_error, problem) => {
    const detail = last_error.replace(/^(RCPT TO|DATA): /, '');
    expect(mailOutcome({ state: 'refused', last_error })).toEqual({ state: 'failed', problem, detail });
  });

  it('an address that is none has no server that said something', () => {
    const last_error = 'This is not an address that mail can be sent to.';
    expect(mailOutcome({ state: 'refused', last_error })).toEqual({ state: 'failed', problem: 'bad_address' });
  });
});
