import { createContext, useContext } from 'react';
import { de } from './de/account.ts';
import type { Words } from './en/account.ts';
import { en } from './en/account.ts';
import { type Tongue, tongueIn } from './tongue.ts';

export type { Words } from './en/account.ts';

/** The words of the pages of invitations and forgotten passwords. */
export const tongueFor = (wanted: readonly string[]): Tongue<Words> => tongueIn({ en, de }, wanted);
export const TongueContext = createContext<Tongue<Words>>(tongueFor([]));
export const useTongue = (): Tongue<Words> => useContext(TongueContext);
