import { expect, it } from 'vitest';
import { freePort } from '#main/start/ports.ts';
import { hasNginx, startApiNginx } from '#test/support/storage/nginx.ts';
import { startHttpServer, type TestServer } from '#test/support/system/http-server.ts';

/** A node that answers 503 to all, as while the database is away, until it is well. */
function startNode(): Promise<TestServer & { isWell?: boolean }> {
  const started: Promise<TestServer & { isWell?: boolean }> = startHttpServer(async (_, response) => {
    if ((await started).isWell) return void response.writeHead(200).end('well');
    response.writeHead(503, { 'retry-after': '5', 'content-type': 'application/json' }).end('{"code":131077}');
  });
  return started;
}

it.skipIf(!hasNginx())('nginx passes on what nodes say that all answer 503, and finds the first that is well', async () => {
  const nodes = [await startNode(), await startNode()] as const;
  const nginx = await startApiNginx(
    await freePort(0),
    nodes.map(({ url }) => Number(new URL(url).port)),
  );
  try {
    const ask = async (): Promise<readonly unknown[]> => {
      const response = await fetch(`${nginx.url}/v1/system`);
      return [response.status, response.headers.get('retry-after'), await response.text()];
    };
    for (let call = 0; call < 20; call++) expect(await ask()).toEqual([503, '5', '{"code":131077}']);
    nodes[1].isWell = true;
    for (let call = 0; call < 20; call++) expect(await ask()).toEqual([200, null, 'well']);
  } finally {
    await nginx.close();
    for (const node of nodes) await node.close();
  }
});
