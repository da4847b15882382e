import { IconikApiError, type Role, type World } from './world.ts';

export type Body = Readonly<Record<string, unknown>>;

export interface Call {
  readonly world: World;
  readonly origin: string;
  /** What the path's groups matched. */
  readonly ids: readonly string[];
  readonly query: URLSearchParams;
  readonly body: Body;
}

/** One route of the API, below `/API`. */
export interface Route {
  readonly method: string;
  readonly path: RegExp;
  /** That the token's user needs. */
  readonly role: Role;
  readonly answer: (call: Call) => readonly [status: number, body: unknown];
}

const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** Refuses a body that lacks a field, or has one that the route does not take: those that are read only among them. */
export function checkBody(body: Body, required: readonly string[], optional: readonly string[]): void {
  for (const name of required) {
    const value = body[name];
    if (value === undefined || value === null || value === '') throw new IconikApiError(400, `${name}: Missing data for required field.`);
  }
  for (const name of Object.keys(body)) {
    if (!required.includes(name) && !optional.includes(name)) throw new IconikApiError(400, `${name}: Unknown field.`);
  }
}

export function uuidIn(body: Body, name: string): string {
  const value = body[name];
  if (typeof value !== 'string' || !uuid.test(value)) throw new IconikApiError(400, `${name}: Not a valid UUID.`);
  return value;
}
