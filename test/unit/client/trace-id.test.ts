import { expect, it } from 'vitest';
import { AgentCallError } from '#client/agent-call-error.ts';
import { refusal } from '#client/refusals.ts';
import { traceIdToShow } from '#client/trace-id.ts';
import type { HostedErrorName } from '#protocol/errors/hosted.ts';
import { ApiError } from '#protocol/errors.ts';

const id = '4bf92f3577b34da6a3ce929d0e0e4736';
const answered = (name: HostedErrorName, headers = { 'x-trace-id': id }) => {
  const { status, body } = new ApiError(name);
  return refusal({ status, headers, text: JSON.stringify(body) });
};

it.each([
  ['internal', id],
  ['unavailable', id],
  ['state_conflict', id],
  ['link_password_wrong', ''],
  ['rate_limited', ''],
] as const)('of %s, %s is shown', (name, shown) => {
  expect(answered(name).traceId).toBe(id);
  expect(traceIdToShow(answered(name))).toBe(shown);
});

it('is shown of what has no number, too, and nothing where there is none', () => {
  expect(traceIdToShow(refusal({ status: 502, headers: { 'x-trace-id': id }, text: 'Bad gateway' }))).toBe(id);
  expect(traceIdToShow(answered('internal', {} as { 'x-trace-id': string }))).toBe('');
  expect(traceIdToShow(new Error('offline'))).toBe('');
  expect(AgentCallError.answered(500, '{}').traceId).toBe('');
});
