import type { CloudProvider } from '../ports.ts';

type Port = Required<CloudProvider>;
type MethodName = {
  [Name in keyof Port]: Port[Name] extends (request: never, signal: AbortSignal) => Promise<unknown> ? Name : never;
}[keyof Port];

/** Every method that talks to the provider. */
export type CallName = Exclude<MethodName, 'close' | 'renew'>;

type RequestOf<Name extends CallName> = Parameters<Port[Name]>[0];
type AnswerOf<Name extends CallName> = Awaited<ReturnType<Port[Name]>>;

/** What a call is about, for the log: a path, or the path in a handle. Never a handle itself, which may hold a secret. */
const subjects: { readonly [Name in CallName]: (request: RequestOf<Name>) => string } = {
  check: ({ direction }) => direction,
  list: ({ folder }) => folder,
  head: ({ id }) => id,
  hasFolder: ({ path }) => path,
  makeFolder: ({ path }) => path,
  begin: ({ path }) => path,
  resume: () => '',
  putPart: ({ number }) => `part ${number}`,
  copyPart: ({ number }) => `part ${number}`,
  complete: ({ parts }) => `${parts.length} parts`,
  abort: () => '',
  openRange: ({ id }) => id,
  remove: ({ id }) => id,
};

/** One call on its way: `run` does it, and may be called again. */
export interface Call<T> {
  readonly name: CallName;
  readonly subject: string;
  readonly signal: AbortSignal;
  run(): Promise<T>;
}

export type Around = <T>(call: Call<T>) => Promise<T>;

/** Wraps a provider: `around` runs each of its calls. A method that the port gets is wrapped, or does not compile. */
export function aroundCalls(provider: CloudProvider, around: Around): CloudProvider {
  const wrap =
    <Name extends CallName>(name: Name) =>
    (request: RequestOf<Name>, signal: AbortSignal): Promise<AnswerOf<Name>> => {
      // Types do not follow a name through a table: each entry belongs to its own method.
      const method = (provider as Port)[name].bind(provider) as unknown as (
        request: RequestOf<Name>,
        signal: AbortSignal,
      ) => Promise<AnswerOf<Name>>;
      const subjectOf = subjects[name] as (request: RequestOf<Name>) => string;
      return around({ name, subject: subjectOf(request), signal, run: () => method(request, signal) });
    };
  return {
    name: provider.name,
    plan: provider.plan,
    paths: provider.paths,
    check: wrap('check'),
    list: wrap('list'),
    head: wrap('head'),
    ...(provider.hasFolder && { hasFolder: wrap('hasFolder') }),
    makeFolder: wrap('makeFolder'),
    begin: wrap('begin'),
    resume: wrap('resume'),
    putPart: wrap('putPart'),
    ...(provider.reaches && { reaches: (source) => provider.reaches!(source) }),
    ...(provider.copyPart && { copyPart: wrap('copyPart') }),
    complete: wrap('complete'),
    abort: wrap('abort'),
    openRange: wrap('openRange'),
    remove: wrap('remove'),
    renew: () => provider.renew(),
    close: () => provider.close(),
  };
}
