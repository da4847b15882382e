import { expect, it } from 'vitest';
import { refuseHiddenNames } from '#engine/folders/hidden-names.ts';
import { AgentError } from '#protocol/errors.ts';

const record = (whole: string) => {
  const slash = whole.lastIndexOf('/');
  return { path: slash < 0 ? '' : whole.slice(0, slash), name: whole.slice(slash + 1) };
};

it.each<[folder: string, names: string[], told: string | null]>([
  ['/home/mia', ['.bashrc'], '.bashrc'],
  ['/home/mia', ['.ssh/authorized_keys', '.ssh/config', 'clip.mov'], '.ssh'],
  ['/home/mia', ['.a', '.b', '.c', '.d', '.e'], '.a, .b, .c (+ 2)'],
  ['/home/mia', ['.\u202ebashrc'], '._bashrc'],
  ['/home/mia', ['.a\u001b[2J'], '.a\ufffd[2J'],
  ['/home/mia', ['day/.hidden', 'a.b', '\u2066.bashrc'], null],
  ['/home/mia/Downloads', ['.bashrc'], null],
  ['/home/mia2', ['.bashrc'], null],
])('into %s: %j', (folder, names, told) => {
  const ask = () => refuseHiddenNames(folder, names.map(record), ['/home/mia', '/root']);
  if (told === null) return expect(ask).not.toThrow();
  expect(ask).toThrow(new AgentError('hidden_names', { folder, names: told }));
});
