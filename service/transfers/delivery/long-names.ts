import { createHash } from 'node:crypto';
import type { PathRules } from '#providers/ports.ts';
import { render, safeNames } from './names.ts';

/**
 * What a name that is too long ends with: an ellipsis, written as no other name can have it (names.ts), and a digest of the
 * whole name. So no two names become one; which name it was stands in the manifest.
 */
const cutMark = (name: string): string => `_x2026_${createHash('sha256').update(name).digest('hex').slice(0, 20)}`;

/** Characters of an extension, with its dot, that a cut name keeps. */
const longestExtension = 12;
/** A file and a folder may have one name, where the provider wants two. */
const cutsOfOneName = 4;

/** As much of the name's beginning as fits, and its extension. Null where not even that fits. `salt` makes another one. */
function cutName(fits: (name: string) => boolean, name: string, salt = ''): string | null {
  const dot = name.lastIndexOf('.');
  const extension = dot > 0 && name.length - dot <= longestExtension ? name.slice(dot) : '';
  const characters = [...name.slice(0, name.length - extension.length)];
  const isEscaped = characters.map((character, index) => !fits(index === 0 ? `${character}x` : `x${character}x`));
  const mark = cutMark(name + salt);
  for (let length = characters.length - 1; length >= 0; length--) {
    const cut = `${render(characters.slice(0, length), isEscaped)}${mark}${extension}`;
    if (fits(cut)) return cut;
  }
  return null;
}

/** The spellings of `safeNames`; in place of those that are too long, cut ones. */
export function* fittingNames(rules: PathRules, name: string): Generator<string> {
  const fits = (one: string): boolean => rules.problem(one) === null;
  for (const spelling of safeNames(rules, name)) {
    if (fits(spelling)) {
      yield spelling;
      continue;
    }
    // Those that follow are longer still. No name holds a slash.
    for (let salt = 0; salt < cutsOfOneName; salt++) yield cutName(fits, name, '/'.repeat(salt)) ?? spelling;
    return;
  }
}

const fittingName = (rules: PathRules, name: string): string => fittingNames(rules, name).next().value ?? name;

/**
 * A path below `folder` as the provider can hold it, with `folder`. Where the whole is too long its name is cut; where its
 * folders alone are, it lies in one that is named by a digest of them. Where nothing helps, `rules.problem` says what is wrong.
 */
export function fittingPath(rules: PathRules, folder: string, path: string): string {
  const fits = (candidate: string): boolean => rules.problem(candidate) === null;
  const steps = path.split('/').map((step) => fittingName(rules, step));
  const target = [folder, ...steps].join('/');
  if (fits(target)) return target;
  const slash = path.lastIndexOf('/');
  const name = path.slice(slash + 1);
  const parents = [[folder, ...steps.slice(0, -1)].join('/'), `${folder}/${cutMark(path.slice(0, Math.max(0, slash)))}`];
  for (const parent of parents) {
    const cut = fits(`${parent}/${steps.at(-1)}`) ? steps.at(-1)! : cutName((one) => fits(`${parent}/${one}`), name);
    if (cut !== null) return `${parent}/${cut}`;
  }
  return target;
}
