import { createHmac, randomUUID } from 'node:crypto';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { azuriteVariable } from './lend.ts';

/** Azurite's one account, and the key that its documentation gives. */
export const azuriteAccount = 'devstoreaccount1';
const key = 'Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1OUzFT50uSRZ6IFsuFq2UVErCz4I6tq/K1SZFPTOtr/KBHBeksoGMGw==';
export const azuriteVersion = '2022-11-02';

/** A container of a test's own in the Azurite that all tests of a run share. */
export interface TestContainer {
  readonly name: string;
  /** Of the Blob service, without a SAS: `http://127.0.0.1:…/devstoreaccount1`. */
  readonly service: string;
  /** Names of all blobs, those that have unfinished blocks alone included, each with what is unfinished. */
  stored(): Promise<readonly string[]>;
  /** A request as another program makes it, with every permission. `path` is a blob's. */
  request(method: string, path: string, options?: RawOptions): Promise<Response>;
}

interface RawOptions {
  readonly query?: Readonly<Record<string, string>>;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array<ArrayBuffer>;
}

export interface SasOptions {
  readonly permissions?: string;
  readonly resourceTypes?: string;
  readonly services?: string;
  readonly expires?: Date;
  readonly starts?: Date;
  readonly protocol?: string;
  /** Signed with, to be refused where it is another than the account's. */
  readonly key?: string;
}

const inAnHour = (): Date => new Date(Date.now() + 3_600_000);
const seconds = (date: Date): string => date.toISOString().replace(/\.\d+Z$/, 'Z');
const signed = (text: string, by: string): string => createHmac('sha256', Buffer.from(by, 'base64')).update(text, 'utf8').digest('base64');
const queryOf = (values: Readonly<Record<string, string>>): string =>
  Object.entries(values)
    .filter(([, value]) => value !== '')
    .map(([name, value]) => `${name}=${encodeURIComponent(value)}`)
    .join('&');

/** A SAS for the account: what follows the `?`. */
export function accountSas(options: SasOptions = {}): string {
  const { permissions = 'rwdl', resourceTypes = 'co', services = 'b', expires = inAnHour(), starts, protocol = 'https,http' } = options;
  const [st, se] = [starts ? seconds(starts) : '', seconds(expires)];
  const text = [azuriteAccount, permissions, services, resourceTypes, st, se, '', protocol, azuriteVersion, '', ''].join('\n');
  const sig = signed(text, options.key ?? key);
  return queryOf({ sv: azuriteVersion, ss: services, srt: resourceTypes, sp: permissions, st, se, spr: protocol, sig });
}

/** A SAS for one container, or for one blob of it: what follows the `?`. */
export function serviceSas(container: string, { permissions = 'rwdl', expires = inAnHour() }: SasOptions = {}, blob?: string): string {
  const se = seconds(expires);
  const sr = blob === undefined ? 'c' : 'b';
  const resource = `/blob/${azuriteAccount}/${container}${blob === undefined ? '' : `/${blob}`}`;
  const text = [permissions, '', se, resource, '', '', '', azuriteVersion, sr, '', '', '', '', '', '', ''].join('\n');
  return queryOf({ sv: azuriteVersion, sr, sp: permissions, se, sig: signed(text, key) });
}

async function borrowed(): Promise<string> {
  const port = process.env[azuriteVariable];
  if (port === undefined) throw new Error('There is no Azurite: these tests run by Vitest alone.');
  const answer = await text(connect(Number(port), '127.0.0.1'));
  if (!answer.startsWith('http')) throw new Error(answer);
  return answer;
}

export async function newContainer(): Promise<TestContainer> {
  const service = `${await borrowed()}/${azuriteAccount}`;
  const name = `test-${randomUUID()}`;
  const sas = accountSas({ permissions: 'rwdlac', resourceTypes: 'sco' });
  const send = async (method: string, path: string, { query = {}, headers = {}, body }: RawOptions = {}): Promise<Response> => {
    const own = queryOf(query);
    const url = `${service}/${name}${path === '' ? '' : `/${path}`}?${own === '' ? '' : `${own}&`}${sas}`;
    return await fetch(url, { method, headers: { 'x-ms-version': azuriteVersion, ...headers }, ...(body !== undefined && { body }) });
  };
  const request = async (method: string, path: string, options: RawOptions = {}): Promise<Response> => {
    const answer = await send(method, path, options);
    if (!answer.ok) throw new Error(`Azurite answers ${answer.status} to ${method} ${path}: ${await answer.text()}`);
    return answer;
  };
  await request('PUT', '', { query: { restype: 'container' } });

  const stored = async (): Promise<string[]> => {
    const query = { restype: 'container', comp: 'list', include: 'uncommittedblobs', maxresults: '5000' };
    const list = await (await request('GET', '', { query })).text();
    const names = [...list.matchAll(/<Name>(.*?)<\/Name>/g)].map(([, found]) => found!);
    const blocks = names.map(async (found) => {
      const answer = await send('GET', encodeURIComponent(found), { query: { comp: 'blocklist', blocklisttype: 'uncommitted' } });
      const ids = [...(await answer.text()).matchAll(/<Name>(.*?)<\/Name>/g)].map(([, id]) => `${found} ${id}`);
      return [found, ...ids];
    });
    return (await Promise.all(blocks)).flat();
  };
  return { name, service, stored, request };
}
