import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { compilePatterns } from '#engine/automations/rules/patterns.ts';
import { automationCommand } from '#main/cli/commands/automation.ts';
import { parseConfig } from '#main/config/read-file.ts';

/** docs/automations.md says what the project does. */

const page = readFileSync(fileURLToPath(new URL('../../../docs/automations.md', import.meta.url)), 'utf8');
const blocks = (language: string): string[] =>
  [...page.matchAll(new RegExp(`^\`\`\`${language}\\n(.*?)^\`\`\``, 'gms'))].map(([, text]) => text!);

describe('the page about automations', () => {
  it('has files that are read, with automations of each shape', () => {
    const read = blocks('yaml').map((text) => parseConfig(text, 'file').provisioning);
    expect(read.map(({ automations }) => automations.map(({ name }) => name))).toEqual([['Camera cart'], ['Nightly'], ['Renders']]);
    expect(read[2]!.mounts).toHaveLength(1);
  });

  it('names each command, and commands that there are', () => {
    const names = automationCommand(() => {}).commands.map((command) => command.name());
    for (const name of names) expect(page, name).toMatch(new RegExp(`longshore automation [^|\`\n]*${name}|\`${name}\``));
    for (const [, name] of page.matchAll(/longshore automation ([a-z-]+)/g)) expect(names).toContain(name);
  });

  it('has patterns that match what it says', () => {
    const matches = (pattern: string, path: string) => compilePatterns({ include: [pattern] }, 'linux')(path).sent;
    for (const [pattern, path, expected] of [
      ['*.mov', 'a/b/c.mov', true],
      ['DCIM', 'card/DCIM/100/1.jpg', true],
      ['proxy/', 'day/proxy/1.mov', true],
      ['proxy/', 'day/proxy', false],
      ['day?/*.mov', 'day1/a.mov', true],
      ['day?/*.mov', 'day1/card/a.mov', false],
      ['/notes.txt', 'notes.txt', true],
      ['/notes.txt', 'day1/notes.txt', false],
      ['card/**/*.mxf', 'card/a/b/1.mxf', true],
      ['*.{mov,mxf}', '1.mxf', true],
      ['[!ab]*', 'c.mov', true],
      ['[!ab]*', 'a.mov', false],
    ] as const) {
      expect(page).toContain(`\`${pattern}\``);
      expect(matches(pattern, path), `${pattern} on ${path}`).toBe(expected);
    }
  });
});
