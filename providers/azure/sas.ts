import type { Direction } from '#protocol/providers.ts';
import { ProviderError } from '../errors.ts';

/** What a shared access signature (SAS) allows, as its own parameters say. */
export interface Sas {
  /** Every parameter as it was given: the signature covers the decoded values, and encoding them anew may change them. */
  readonly query: string;
  /** For the whole account, or one made for this container. */
  readonly scope: 'account' | 'container';
  /** `sp`, a letter for each permission; null where a stored access policy has them. */
  readonly permissions: string | null;
  /** `se` and `st`; null where there is none. */
  readonly expires: Date | null;
  readonly starts: Date | null;
  /** `ss`, `srt`: services and resource types, of an account's SAS. */
  readonly services: string;
  readonly resourceTypes: string;
  /** `spr` allows HTTPS alone. */
  readonly httpsOnly: boolean;
  /** `sip`: an IP address or a range of them; empty if any may use it. */
  readonly addresses: string;
  /** `si`: the stored access policy; empty if there is none. */
  readonly policy: string;
}

const advice =
  'Make a SAS for the Blob service with the resource types Container and Object and the permissions Read, Write, Delete and List';

export const refusedSas = (why: string): ProviderError => new ProviderError('misconfigured', `${why} ${advice}, and enter its whole URL.`);

/** @param query what follows the URL's `?` */
export function readSas(query: string): Sas {
  const parameters = new URLSearchParams(query);
  const parameter = (name: string): string => parameters.get(name) ?? '';
  if (parameter('sig') === '') throw refusedSas('This is no SAS URL: it has no signature (sig).');
  const resource = parameter('sr');
  if (resource === 'b' || resource === 'bs' || resource === 'bv') throw refusedSas('This SAS is for a single file (sr=b).');
  if (resource === 'd') throw refusedSas('This SAS is for a single folder (sr=d).');
  const dateOf = (name: string): Date | null => {
    const date = new Date(parameter(name));
    return Number.isNaN(date.getTime()) ? null : date;
  };
  return {
    query,
    scope: resource === 'c' ? 'container' : 'account',
    permissions: parameters.has('sp') ? parameter('sp') : null,
    expires: dateOf('se'),
    starts: dateOf('st'),
    services: parameter('ss'),
    resourceTypes: parameter('srt'),
    httpsOnly: parameter('spr') === 'https',
    addresses: parameter('sip'),
    policy: parameter('si'),
  };
}

const permissionNames = { r: 'Read', w: 'Write', d: 'Delete', l: 'List' } as const;
export type Permission = keyof typeof permissionNames;

const needed: Readonly<Record<Direction, readonly Permission[]>> = {
  service_to_cloud: ['r', 'w', 'd', 'l'],
  cloud_to_service: ['r', 'l'],
};

const listed = (words: readonly string[]): string => words.join(', ').replace(/, ([^,]*)$/, ' and $1');
const named = (permissions: readonly Permission[]): string => listed(permissions.map((one) => `${permissionNames[one]} (${one})`));

/** A sentence for a request that the SAS does not allow. */
export function lacksPermission({ permissions }: Sas, permission: Permission): string {
  const has = permissions === null ? '' : ` It has sp=${permissions}.`;
  return `The SAS does not allow this: it needs the permission ${named([permission])}.${has} ${advice} (sp=rwdl), and enter its URL.`;
}

/** All that speaks against a SAS before a request is made, in one error; its dates are left to Azure's clock. */
export function checkSas(sas: Sas, { direction, https }: { readonly direction: Direction; readonly https: boolean }): void {
  const problems: string[] = [];
  if (sas.httpsOnly && !https)
    problems.push('The SAS allows HTTPS alone (spr=https), but the URL begins with http://. Enter it with https://.');
  if (sas.scope === 'account') {
    if (!sas.services.includes('b')) problems.push('The SAS is not for the Blob service (ss has no b).');
    const types = [
      ...(sas.resourceTypes.includes('c') ? [] : ['Container (c)']),
      ...(sas.resourceTypes.includes('o') ? [] : ['Object (o)']),
    ];
    if (types.length > 0) problems.push(`The SAS lacks the resource type${types.length > 1 ? 's' : ''} ${listed(types)} in srt.`);
  }
  const { permissions } = sas;
  const missing = permissions === null ? [] : needed[direction].filter((one) => !permissions.includes(one));
  if (permissions === null && sas.policy === '') problems.push('The SAS has no permissions (sp).');
  if (missing.length > 0) problems.push(`The SAS lacks the permission${missing.length > 1 ? 's' : ''} ${named(missing)} in sp.`);
  if (problems.length === 0) return;
  // What only the address has wrong wants no new SAS.
  const isOnlyTheScheme = problems.length === 1 && sas.httpsOnly && !https;
  const words = isOnlyTheScheme ? problems[0]! : `${problems.join(' ')} ${advice} (sp=rwdl), and enter its URL.`;
  throw new ProviderError(missing.length > 0 ? 'forbidden' : 'misconfigured', words);
}

const inWords = (date: Date): string => `${date.toISOString().slice(0, 16).replace('T', ' ')} UTC`;

/** Why Azure refuses the SAS at that time of its own clock; null if its dates are not the reason. */
export function dateProblem({ expires, starts }: Sas, now: Date): string | null {
  if (expires && now >= expires) return `The SAS expired at ${inWords(expires)}. Make a new one with a later end, and enter its URL.`;
  if (starts && now < starts) return `The SAS is valid only from ${inWords(starts)} on. Wait until then, or make one that begins earlier.`;
  return null;
}

const day = 24 * 60 * 60 * 1000;
const soonDays = 14;

/** Sentences worth knowing of a SAS that works. */
export function notesOn(sas: Sas, { now, https }: { readonly now: Date; readonly https: boolean }): string[] {
  const { expires, addresses, policy } = sas;
  const notes: string[] = [];
  const days = expires === null ? Number.POSITIVE_INFINITY : Math.max(0, Math.floor((expires.getTime() - now.getTime()) / day));
  if (expires && days < soonDays) {
    notes.push(
      `The SAS expires at ${inWords(expires)}${days < 1 ? ', in less than a day' : days === 1 ? ', in 1 day' : `, in ${days} days`}. Enter the URL of a new one before: without it deliveries stop.`,
    );
  }
  if (policy !== '') {
    notes.push(
      `The SAS follows the container's stored access policy "${policy}": who changes or deletes that ends the connection at once.`,
    );
  }
  if (addresses !== '') notes.push(`The SAS may be used only from ${addresses}. This service has to stay among these addresses.`);
  if (!https) notes.push('The URL begins with http://, so the SAS and the files can be read on the way. Use https:// outside of tests.');
  return notes;
}
