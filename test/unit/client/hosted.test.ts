import { describe, expect, test } from 'vitest';
import { ServiceError } from '#client/errors.ts';
import { createHostedClient, type HostedCredential } from '#client/hosted.ts';
import type { ApiReply, ApiRequest } from '#client/ports.ts';
import { agentErrors } from '#protocol/errors/agent.ts';
import { ApiError } from '#protocol/errors/api-error.ts';
import { type HostedErrorName, hostedErrors } from '#protocol/errors/hosted.ts';

function clientAnswering(reply: Partial<ApiReply> | Error, baseUrl = 'https://service.test/prefix/') {
  const asked: ApiRequest[] = [];
  const client = createHostedClient({
    baseUrl,
    fetcher: async (request) => {
      asked.push(request);
      if (reply instanceof Error) throw reply;
      return { status: 200, headers: {}, text: '', ...reply };
    },
  });
  return { client, asked };
}

const file = { package_id: 'p/1', file_id: 'f 2' };

describe('a call', () => {
  test('is made from its route: method, path, query, body', async () => {
    const { client, asked } = clientAnswering({ text: '[]' });
    const reply = await client.call('createChunkBlueprints', { params: file, query: { start: 0, count: 2 }, body: { upload_id: 'u' } });
    expect(reply).toEqual([]);
    expect(asked).toEqual([
      {
        service: 'https://service.test/prefix',
        method: 'POST',
        url: 'https://service.test/prefix/v1/packages/p%2F1/files/f%202?start=0&count=2',
        headers: { accept: 'application/json', 'content-type': 'application/json' },
        body: '{"upload_id":"u"}',
      },
    ]);
  });

  test('without a body sends none, and an empty answer is undefined', async () => {
    const { client, asked } = clientAnswering({ status: 204 });
    expect(await client.call('deleteFile', { params: file })).toBeUndefined();
    expect(asked[0]).not.toHaveProperty('body');
    expect(asked[0]!.headers).not.toHaveProperty('content-type');
  });

  test('repeats a list in the query, and leaves out what is not set', async () => {
    const { client, asked } = clientAnswering({ text: '{"metadata":{"total":0},"records":[]}' });
    await client.call('listTeamPackages', {
      params: { team_id: 't' },
      query: { page: 1, limit: 50, status: ['new', 'finalized'], name: undefined as never },
    });
    expect(asked[0]!.url).toMatch(/\?page=1&limit=50&status=new&status=finalized$/);
  });

  test.each<[HostedCredential, Record<string, string>]>([
    [{ kind: 'user', token: 't' }, { 'x-user-token': 't' }],
    [{ kind: 'api_key', key: 'k' }, { 'x-api-key': 'k' }],
    [{ kind: 'package', token: 'p' }, { 'x-package-token': 'p' }],
    [{ kind: 'access_code', code: 'ä b' }, { 'x-access-code': '%C3%A4%20b' }],
    [{ kind: 'none' }, {}],
  ])('carries its credential: $kind', async (credential, headers) => {
    const { client, asked } = clientAnswering({ status: 204 });
    await client.as(credential).call('deleteFile', { params: file });
    expect(asked[0]!.headers).toEqual({ accept: 'application/json', ...headers });
  });

  test('may carry another credential than its client, and an idempotency key', async () => {
    const { client, asked } = clientAnswering({ status: 204 });
    await client.as({ kind: 'package', token: 'a' }).call('finalizePackage', {
      params: { package_id: 'p' },
      credential: { kind: 'package', token: 'b' },
      idempotencyKey: 'once',
    });
    expect(asked[0]!.headers).toMatchObject({ 'x-package-token': 'b', 'idempotency-key': 'once' });
  });
});

describe('a failure', () => {
  const failing = (reply: Partial<ApiReply> | Error) =>
    clientAnswering(reply)
      .client.call('getPackage', { params: { package_id: 'p' } })
      .then(
        () => expect.unreachable('the call must fail'),
        (error: unknown) => error as ServiceError,
      );

  test.each(Object.keys(hostedErrors) as HostedErrorName[])('of the catalogue comes back as it was thrown: %s', async (name) => {
    const details = Object.fromEntries([...hostedErrors[name].message.matchAll(/\{(\w+)\}/g)].map(([, key]) => [key!, `(${key}).*`]));
    const thrown = new ApiError(name, details);
    const error = await failing({ status: thrown.status, text: JSON.stringify(thrown.body) });
    expect(error).toBeInstanceOf(ServiceError);
    expect(error).toMatchObject({
      error: name,
      code: thrown.code,
      status: thrown.status,
      message: thrown.message,
      details,
      answered: thrown.status,
    });
  });

  test('keeps a sentence that a newer service words differently', async () => {
    const error = await failing({
      status: 404,
      text: JSON.stringify({ code: hostedErrors.not_found.code, message: 'Nothing of the kind.' }),
    });
    expect(error).toMatchObject({ error: 'not_found', message: 'Nothing of the kind.', details: {} });
  });

  test.each([99, agentErrors.files_failed.code])('of a code that no service has stays readable: %i', async (code) => {
    const error = await failing({ status: 418, text: JSON.stringify({ code, message: 'I am a teapot.' }) });
    expect(error).toMatchObject({ error: 'service_refused', answered: 418, message: 'The service answered 418: I am a teapot.' });
  });

  test.each([
    [{ status: 502, text: '<html>Bad gateway</html>' }, 'The service answered 502: an answer that is not of Longshore'],
    [{ status: 500, text: '' }, 'The service answered 500: an empty answer'],
    [{ status: 200, text: '<html>a sign-in page</html>' }, 'what came is not JSON'],
    [{ status: 204, text: '' }, 'The service answered 204: an empty answer'],
    [{ status: 500, text: 'null' }, 'an answer that is not of Longshore'],
  ])('%o', async (reply, words) => {
    const error = await failing(reply);
    expect(error.error).toBe('service_refused');
    expect(error.message).toContain(words);
  });

  test('carries Retry-After', async () => {
    const limited = new ApiError('rate_limited', { seconds: 9 });
    expect(await failing({ status: 429, headers: { 'retry-after': '9' }, text: JSON.stringify(limited.body) })).toMatchObject({
      error: 'rate_limited',
      retryAfter: 9,
    });
  });

  test('of no answer at all says where and why, and keeps the cause', async () => {
    const cause = Object.assign(new Error('connect ECONNREFUSED 127.0.0.1:1'), { code: 'ECONNREFUSED' });
    const error = await failing(cause);
    expect(error).toMatchObject({ error: 'service_unreachable', answered: 0, cause });
    expect(error.message).toBe(
      'The service at https://service.test/prefix cannot be reached: connect ECONNREFUSED 127.0.0.1:1. Check the address and the network.',
    );
  });

  test('by an abort is the signal’s reason', async () => {
    const stop = new AbortController();
    stop.abort(new Error('paused'));
    const { client } = clientAnswering(new Error('aborted'));
    await expect(client.call('getPackage', { params: { package_id: 'p' }, signal: stop.signal })).rejects.toThrow('paused');
  });
});
