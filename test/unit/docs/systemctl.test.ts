import { globSync, readFileSync } from 'node:fs';
import { expect, it } from 'vitest';

/** What pages and comments have an operator type into systemd. */

const project = new URL('../../../', import.meta.url);
const texts = ['docs/**/*.md', 'resources/**/*'].flatMap((pattern) => globSync(pattern, { cwd: project, withFileTypes: true }));
const commands = texts
  .filter((entry) => entry.isFile())
  .flatMap((entry) => {
    const path = `${entry.parentPath}/${entry.name}`;
    return readFileSync(path, 'utf8')
      .split(/[\n`]|&&|;/)
      .filter((command) => /^\s*systemctl\s/.test(command))
      .map((command) => command.trim());
  });

it('is there to be looked at', () => {
  expect(commands.length).toBeGreaterThan(20);
});

// systemd takes patterns where it looks for what runs, and there alone: `disable 'node@*'` names one unit that is not there.
it('names each unit that is enabled or disabled', () => {
  expect(commands.filter((command) => /\b(?:enable|disable|reenable|mask|unmask|edit)\b/.test(command) && /[*?[]/.test(command))).toEqual(
    [],
  );
});
