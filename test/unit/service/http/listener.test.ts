import { once } from 'node:events';
import { connect } from 'node:net';
import { expect, it } from 'vitest';
import { listen } from '#service/http/listener.ts';

const anyPort = { host: '127.0.0.1', port: 0 };

it('answers 503 until there is an app, and then hands over', async () => {
  const listener = await listen(anyPort);
  const early = await fetch(listener.url);
  expect([early.status, early.headers.get('retry-after'), await early.json()]).toEqual([
    503,
    '1',
    { code: 458755, message: 'The service is starting or stopping. Try again soon.' },
  ]);
  listener.serve((_request, response) => response.end('served'));
  expect(await (await fetch(listener.url)).text()).toBe('served');
  await listener.close(0);
  await listener.close(0);
});

it('cuts requests that do not end in time, and idle connections at once', async () => {
  const listener = await listen(anyPort);
  const started = Promise.withResolvers<void>();
  listener.serve(() => started.resolve());
  const stuck = fetch(listener.url).then(
    () => 'answered',
    () => 'cut',
  );
  const idle = connect(listener.port, '127.0.0.1');
  await once(idle, 'connect');
  await started.promise;
  await listener.close(10);
  expect(await stuck).toBe('cut');
  idle.destroy();
});

it('gives an address that this machine can connect to', async () => {
  for (const [host, url] of [
    ['0.0.0.0', /^http:\/\/127\.0\.0\.1:\d+$/],
    ['127.0.0.1', /^http:\/\/127\.0\.0\.1:\d+$/],
    ['localhost', /^http:\/\/localhost:\d+$/],
  ] as const) {
    const listener = await listen({ host, port: 0 });
    expect(listener.url).toMatch(url);
    await listener.close(0);
  }
});
