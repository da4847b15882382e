import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Ajv } from 'ajv';

export interface CollectedSpan {
  readonly scope: string;
  readonly service: string;
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId: string | null;
  readonly name: string;
  readonly kind: number;
  readonly error: string | null;
  readonly attributes: Readonly<Record<string, unknown>>;
}

/** A collector of traces that takes OTLP/HTTP in JSON and nothing else. */
export interface OtlpCollector {
  readonly url: string;
  readonly spans: readonly CollectedSpan[];
  /** What was wrong with requests; each was answered 400. */
  readonly problems: readonly string[];
  /** All bodies, as text. */
  readonly received: () => string;
  /** The values of `Authorization` that were sent, each once. */
  readonly authorizations: ReadonlySet<string>;
  /** Resolves when a look at the spans gives true; looks at each request. */
  when(look: (spans: readonly CollectedSpan[]) => boolean): Promise<void>;
  close(): Promise<void>;
}

const object = (properties: object, required: readonly string[]) => ({ type: 'object', properties, required, additionalProperties: false });
const list = (items: object) => ({ type: 'array', items });
const text = { type: 'string' };
const hex = (bytes: number) => ({ type: 'string', pattern: `^(?!0+$)[0-9a-f]{${bytes * 2}}$` });
const number64 = { type: 'string', pattern: '^[0-9]{1,20}$' };
const value = {
  oneOf: [
    object({ stringValue: text }, ['stringValue']),
    object({ boolValue: { type: 'boolean' } }, ['boolValue']),
    object({ intValue: { type: 'string', pattern: '^-?[0-9]{1,19}$' } }, ['intValue']),
    object({ doubleValue: { type: 'number' } }, ['doubleValue']),
  ],
};
const attributes = list(object({ key: { type: 'string', minLength: 1 }, value }, ['key', 'value']));
const span = object(
  {
    ...{ traceId: hex(16), spanId: hex(8), parentSpanId: hex(8), flags: { type: 'integer', minimum: 0 } },
    ...{ name: { type: 'string', minLength: 1 }, kind: { type: 'integer', minimum: 1, maximum: 5 } },
    ...{ startTimeUnixNano: number64, endTimeUnixNano: number64, attributes },
    status: object({ code: { type: 'integer', minimum: 0, maximum: 2 }, message: text }, []),
  },
  ['traceId', 'spanId', 'name', 'kind', 'startTimeUnixNano', 'endTimeUnixNano'],
);
const scopeSpans = list(object({ scope: object({ name: text }, ['name']), spans: list(span) }, ['scope', 'spans']));
/** `ExportTraceServiceRequest` of opentelemetry-proto, in the JSON form of OTLP, without the fields that nothing here uses. */
const request = object(
  { resourceSpans: list(object({ resource: object({ attributes }, ['attributes']), scopeSpans }, ['resource', 'scopeSpans'])) },
  ['resourceSpans'],
);

interface Body {
  resourceSpans: { resource: { attributes: KeyValue[] }; scopeSpans: { scope: { name: string }; spans: Sent[] }[] }[];
}
type KeyValue = { key: string; value: Record<string, unknown> };
interface Sent extends Omit<CollectedSpan, 'attributes' | 'error' | 'parentSpanId'> {
  parentSpanId?: string;
  startTimeUnixNano: string;
  endTimeUnixNano: string;
  attributes: KeyValue[];
  status: { code?: number; message?: string };
}

const flat = (pairs: readonly KeyValue[]) => Object.fromEntries(pairs.map(({ key, value: one }) => [key, Object.values(one)[0]]));

export async function startOtlpCollector(): Promise<OtlpCollector> {
  const isValid = new Ajv({ strict: false }).compile<Body>(request);
  const spans: CollectedSpan[] = [];
  const problems: string[] = [];
  const bodies: string[] = [];
  const looks = new Set<() => void>();
  const authorizations = new Set<string>();
  const refusal = (method: string | undefined, url: string | undefined, type: string | undefined, body: string): string | null => {
    if (method !== 'POST' || url !== '/v1/traces' || type !== 'application/json') return `${method} ${url} ${type}`;
    const parsed: unknown = JSON.parse(body);
    if (!isValid(parsed)) return JSON.stringify(isValid.errors);
    for (const { resource, scopeSpans: scopes } of parsed.resourceSpans) {
      for (const { scope, spans: sent } of scopes) {
        for (const one of sent) {
          if (BigInt(one.endTimeUnixNano) < BigInt(one.startTimeUnixNano)) return `${one.name} ends before it starts`;
          const { traceId, spanId, parentSpanId = null, name, kind, status } = one;
          const service = String(flat(resource.attributes)['service.name']);
          const error = status.code === 2 ? (status.message ?? '') : null;
          spans.push({ scope: scope.name, service, traceId, spanId, parentSpanId, name, kind, error, attributes: flat(one.attributes) });
        }
      }
    }
    return null;
  };
  const server = createServer(async (asked, answer) => {
    let body = '';
    for await (const piece of asked.setEncoding('utf8')) body += piece;
    bodies.push(body);
    if (asked.headers.authorization) authorizations.add(asked.headers.authorization);
    const problem = refusal(asked.method, asked.url, asked.headers['content-type'], body);
    if (problem !== null) problems.push(problem);
    answer.writeHead(problem === null ? 200 : 400, { 'content-type': 'application/json' }).end('{"partialSuccess":{}}');
    for (const look of looks) look();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    spans,
    problems,
    received: () => bodies.join('\n'),
    authorizations,
    when: (look) =>
      new Promise((resolve) => {
        const again = (): void => {
          if (!look(spans)) return;
          looks.delete(again);
          resolve();
        };
        looks.add(again);
        again();
      }),
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}
