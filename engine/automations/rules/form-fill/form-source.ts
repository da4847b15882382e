import { RE2JS, RE2JSException } from 're2js';
import type { FormSource } from '#protocol/agent/automations/fields.ts';
import type { ReadSidecar } from './read-sidecar.ts';
import { isReadableSidecar, type SidecarValue, valueInSidecar } from './sidecar.ts';

/** What a package is made of, as far as its form's answers depend on it. */
export interface FormEntry {
  /** Of the file or folder. */
  readonly name: string;
  /** Names of the folders above it, from the inner to the outer, the watched one among them. */
  readonly folders: readonly string[];
}

/** Of a source: its value, or why it gives none. */
export type FoundValue =
  | { readonly value: SidecarValue; readonly fault?: undefined }
  | { readonly value?: undefined; readonly fault: string };

/** The named group of a pattern that holds the value. */
const valueGroup = 'value';

/** A pattern of a thousand characters with larger ones takes long to compile. */
const largestRepetition = 255;

export async function valueFrom(source: FormSource, entry: FormEntry, readSidecar: ReadSidecar): Promise<FoundValue> {
  switch (source.source) {
    case 'name': {
      const matcher = RE2JS.compile(source.pattern).matcher(entry.name);
      const value = matcher.find() ? matcher.group(valueGroup) : null;
      return value ? { value } : { fault: `The name ${entry.name} does not match ${source.pattern}.` };
    }
    case 'folder': {
      const value = entry.folders[source.level ?? 0];
      return value === undefined ? { fault: 'There are not so many folders above it.' } : { value };
    }
    case 'sidecar': {
      const sidecar = await readSidecar(source.file);
      if (sidecar === null) return { fault: `There is no file ${source.file} beside it or in it.` };
      const found = valueInSidecar(sidecar, source.key, entry.name);
      return 'fault' in found ? { fault: `${sidecar.path}: ${found.fault}` } : found;
    }
  }
}

/** Why a source is refused when the automation is made, as a sentence; null if it can be used. */
export function formSourceFault(source: FormSource): string | null {
  if (source.source === 'folder') return null;
  if (source.source === 'sidecar') {
    return isReadableSidecar(source.file)
      ? null
      : `${source.file} names no file that can be read: give one that ends with .json, .csv or .xml.`;
  }
  const { pattern } = source;
  const repetitions = [...pattern.matchAll(/\{(\d+)(?:,(\d*))?\}/g)].flatMap(([, from, to]) => [Number(from), Number(to ?? 0)]);
  if (repetitions.some((count) => count > largestRepetition)) {
    return `${pattern} repeats something more than ${largestRepetition} times. Use smaller repetitions.`;
  }
  try {
    if (valueGroup in RE2JS.compile(pattern).namedGroups()) return null;
    return `${pattern} has no group called ${valueGroup}. Write (?P<${valueGroup}>…) around the part that is the value.`;
  } catch (error) {
    if (!(error instanceof RE2JSException)) throw error;
    return `${pattern} is not a regular expression that can be used: ${error.message}.`;
  }
}
