import { request as httpRequest, type IncomingMessage } from 'node:http';
import { startHttpServer, type TestServer } from '../system/http-server.ts';

/**
 * Stands before a storage at `upstream` and passes requests on as they are: their signatures name the host that was asked.
 * A request for which `cutAfter` gives a number of bytes is cut on both sides after as many of its body; one for which it
 * gives a promise waits for that.
 */
export function startForwarding(
  upstream: string,
  cutAfter: (request: IncomingMessage) => number | null | Promise<null> = () => null,
): Promise<TestServer> {
  return startHttpServer(async (request, response) => {
    const { method, url, headers } = request;
    let left = await cutAfter(request);
    const onward = httpRequest(upstream + url, { method, headers, setHost: false, agent: false }, (answer) => {
      response.writeHead(answer.statusCode!, answer.headers);
      answer.pipe(response);
    });
    onward.on('error', () => response.destroy());
    if (left === null) return void request.pipe(onward);
    onward.flushHeaders();
    for await (const piece of request as AsyncIterable<Buffer>) {
      await new Promise((resolve) => onward.write(piece.subarray(0, left!), resolve));
      left = Math.max(0, left - piece.length);
      if (left === 0) break;
    }
    onward.destroy();
    response.destroy();
  });
}
