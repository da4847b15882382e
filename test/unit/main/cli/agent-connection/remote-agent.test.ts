import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { remoteAgent } from '#main/cli/agent-connection/remote-agent.ts';

const paths: string[] = [];
let server: Server;
let url: string;

beforeAll(async () => {
  server = createServer((request, reply) => {
    paths.push(request.url!);
    reply.end('{"metadata":{"total":0},"records":[]}');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => void server.close());

it('a filter without a value is not sent, so that it is not the text "undefined"', async () => {
  await remoteAgent({ url }).transfers.list('all', { page: 1, limit: 10, name: undefined, state: undefined });
  expect(paths).toEqual(['/api/v1/transfers?page=1&limit=10']);
});
