import { request } from 'node:http';
import { bodyOf, startHttpServer } from '#test/support/system/http-server.ts';

/** What is answered in place of the service. */
export interface Interception {
  readonly status: number;
  readonly body: string;
}

/** Stands between an agent and a service and passes everything on, but for what a test answers itself. */
export interface InterceptingProxy {
  readonly url: string;
  /** Answers requests whose path fits; null passes one on. */
  answer(path: RegExp, answer: () => Interception | null): void;
  /** Requests whose path fits pass on only after another one, whose path fits `other`, has come. */
  holdUntil(path: RegExp, other: RegExp): void;
  leaveAlone(): void;
  close(): Promise<void>;
}

export async function startInterceptingProxy(target: string): Promise<InterceptingProxy> {
  let tampering: { readonly path: RegExp; readonly answer: () => Interception | null } | null = null;
  const holds: { readonly path: RegExp; readonly other: RegExp; readonly come: PromiseWithResolvers<void> }[] = [];
  const server = await startHttpServer(async (incoming, response) => {
    const body = await bodyOf(incoming);
    const path = incoming.url!.split('?')[0]!;
    for (const { other, come } of holds) if (other.test(path)) come.resolve();
    for (const hold of holds) if (hold.path.test(path)) await hold.come.promise;
    const instead = tampering?.path.test(path) ? tampering.answer() : null;
    if (instead) {
      response.writeHead(instead.status, { 'content-type': 'application/json' }).end(instead.body);
      return;
    }
    const passed = request(target + incoming.url, { method: incoming.method, headers: incoming.headers }, (answer) => {
      response.writeHead(answer.statusCode!, answer.headers);
      answer.pipe(response);
    });
    passed.once('error', () => response.destroy());
    passed.end(body);
  });
  return {
    url: server.url,
    answer(path, answer) {
      tampering = { path, answer };
    },
    holdUntil(path, other) {
      holds.push({ path, other, come: Promise.withResolvers() });
    },
    leaveAlone() {
      tampering = null;
    },
    close: () => server.close(),
  };
}
