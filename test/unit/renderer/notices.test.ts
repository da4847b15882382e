import { describe, expect, it } from 'vitest';
import type { AgentEvent } from '#protocol/agent/events.ts';
import type { AgentTransfer } from '#protocol/agent/transfers.ts';
import { catalogues } from '#renderer/messages/catalogues.ts';
import { noticeOf } from '#renderer/notices/notice.ts';
import { mayNotify } from '#renderer/notices/permission.ts';
import { createEndDetector } from '#renderer/notices/use-notices.ts';
import { sampleTransfer } from '#test/support/browser/samples.ts';

const changed = (change: Partial<AgentTransfer>): AgentEvent => ({ id: 1, type: 'transfer.changed', transfer: sampleTransfer(change) });

describe('the end of a transfer', () => {
  it('is news once, where it was seen unfinished', () => {
    const ended = createEndDetector();
    expect(ended(changed({ state: 'complete' }))).toBeNull();
    expect(ended(changed({ state: 'transferring' }))).toBeNull();
    expect(ended(changed({ state: 'complete' }))?.id).toBe('transfer-1');
    // Its receipt comes later, and is told of as a change too.
    expect(ended(changed({ state: 'complete', receipt: true }))).toBeNull();
  });

  it.each(['queued', 'paused', 'idle'] as const)('is news of one that was %s', (state) => {
    const ended = createEndDetector();
    ended(changed({ state }));
    expect(ended(changed({ state: 'error' }))?.state).toBe('error');
  });

  it('is none where somebody cancelled or removed it', () => {
    const ended = createEndDetector();
    ended(changed({ state: 'queued' }));
    expect(ended(changed({ state: 'cancelled' }))).toBeNull();
    ended(changed({ state: 'queued' }));
    expect(ended({ id: 2, type: 'transfer.removed', transfer_id: 'transfer-1' })).toBeNull();
    expect(ended(changed({ state: 'complete' }))).toBeNull();
  });
});

describe('what a notification says', () => {
  const { en, de } = catalogues;
  const error = { code: 0, message: 'The card is gone.', retryable: false };

  it.each([
    [{ kind: 'upload', state: 'complete' }, 'Sent', 'Gesendet', true],
    [{ kind: 'download', state: 'complete' }, 'Received', 'Empfangen', true],
    [{ kind: 'upload', state: 'error', error }, 'Sending failed', 'Senden fehlgeschlagen', false],
    [{ kind: 'download', state: 'error', error }, 'Receiving failed', 'Empfangen fehlgeschlagen', false],
  ] as const)('%j: %s', (change, english, german, silent) => {
    expect(noticeOf(sampleTransfer(change), en)).toMatchObject({ title: english, silent });
    expect(noticeOf(sampleTransfer(change), de)).toMatchObject({ title: german, silent });
  });
});

describe('whether a browser notifies', () => {
  it.each([
    [true, 'granted', 'granted'],
    [true, 'denied', 'denied'],
    [true, undefined, 'never'],
    // Over plain HTTP from another machine browsers say that it is denied, which nobody could change.
    [false, 'denied', 'never'],
  ] as const)('secure %s, permission %s: %s', (isSecureContext, permission, expected) => {
    const page = { isSecureContext, ...(permission && { Notification: { permission } as typeof Notification }) };
    expect(mayNotify(page)).toBe(expected);
  });
});
