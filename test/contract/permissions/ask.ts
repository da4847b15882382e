import type { HostedRouteName } from '#protocol/hosted/routes.ts';
import type { Person, Team, World } from './world.ts';

/** What a call is about, made fresh for each, since some calls take away what they are about. */
export interface Scene {
  readonly world: World;
  /** Whose Team it is made in. */
  readonly team: Team;
  /** Who will call. */
  readonly caller: Person;
  /** Whether what the call is about shall be the caller's own: made by them, or something they are in. */
  readonly own: boolean;
}

/** A call: path parameters beside `team_id`, query, body, and headers besides the credential. */
export interface Ask {
  readonly params?: Readonly<Record<string, string>>;
  readonly query?: string;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

export type AskMaker<S = Scene> = (scene: S) => Promise<Ask> | Ask;
export type Asks<S = Scene> = Partial<Record<HostedRouteName, AskMaker<S>>>;
