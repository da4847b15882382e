import { createContext, useContext } from 'react';
import { de } from './de/portal.ts';
import type { Words } from './en/portal.ts';
import { en } from './en/portal.ts';
import { type Tongue, tongueIn } from './tongue.ts';

export type { Words } from './en/portal.ts';

/** The words of the upload page. */
export const tongueFor = (wanted: readonly string[]): Tongue<Words> => tongueIn({ en, de }, wanted);
export const TongueContext = createContext<Tongue<Words>>(tongueFor([]));
export const useTongue = (): Tongue<Words> => useContext(TongueContext);
