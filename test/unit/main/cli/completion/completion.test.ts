import { spawnSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Command, Option } from 'commander';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { bashScript, fishScript, zshScript } from '#main/cli/completion/scripts.ts';
import { commandTree } from '#main/cli/completion/tree.ts';
import { main } from '#main/cli/main.ts';
import { tempFolder } from '#test/support/system/temp-folder.ts';

const program = new Command('longshore').version('1').addCommand(
  new Command('send')
    .description("Sends it; that's all: $HOME `id`")
    .argument('<path...>')
    .addOption(new Option('-l, --log-level <level>', 'how much').choices(['warn', 'debug']))
    .addOption(new Option('--to <address...>', 'whom'))
    .addOption(new Option('--json', 'JSON')),
);
program.addCommand(
  new Command('admin')
    .description('Operator')
    .addCommand(new Command('team').description('Teams').addCommand(new Command('create').description('Makes').argument('<name>')))
    .addCommand(new Command('user').description('Users')),
);
const nodes = commandTree(program);

let folder: Awaited<ReturnType<typeof tempFolder>>;
beforeAll(async () => {
  folder = await tempFolder();
  mkdirSync(join(folder.path, 'dailies day 1'));
  writeFileSync(join(folder.path, 'notes.pdf'), '');
});
afterAll(() => folder.remove());

/** What a real bash offers for a line whose words, as it parts them, are these. */
function offered(script: string, ...line: string[]): string[] {
  const ask = `${script}
compopt() { :; }
COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _longshore; printf '%s\\n' "\${COMPREPLY[@]}"`;
  const { stdout, stderr } = spawnSync('bash', ['--norc', '-c', ask, 'bash', 'longshore', ...line], { cwd: folder.path, encoding: 'utf8' });
  expect(stderr).toBe('');
  return stdout.split('\n').filter(Boolean).sort();
}

describe('completion in bash', () => {
  const script = bashScript('longshore', nodes);
  it.each<[string[], string[]]>([
    [[''], ['admin', 'help', 'send']],
    [['se'], ['send']],
    [['-'], ['--help', '--version', '-V', '-h']],
    [
      ['send', '--'],
      ['--help', '--json', '--log-level', '--to'],
    ],
    [
      ['send', '--log-level', ''],
      ['debug', 'warn'],
    ],
    [['send', '-l', 'd'], ['debug']],
    [
      ['send', '--log-level', '='],
      ['debug', 'warn'],
    ],
    [['send', '--log-level', '=', 'w'], ['warn']],
    [
      ['send', ''],
      ['dailies day 1', 'notes.pdf'],
    ],
    [['send', 'n'], ['notes.pdf']],
    [['send', '--to', 'admin', 'no'], ['notes.pdf']],
    [
      ['admin', ''],
      ['help', 'team', 'user'],
    ],
    [['admin', 'team', 'cr'], ['create']],
    [['admin', 'user', 'x'], []],
    [['bogus', 'x'], []],
  ])('%j', (line, words) => {
    expect(offered(script, ...line)).toEqual(words);
  });
});

describe('every script', () => {
  it('has what is said of commands quoted, and every command and option', () => {
    expect(zshScript('longshore', nodes)).toContain(`'send:Sends it; that'\\''s all: $HOME \`id\`'`);
    expect(fishScript('longshore', nodes)).toContain(`-a 'send' -d 'Sends it; that\\'s all: $HOME \`id\`'`);
    expect(fishScript('longshore', nodes)).toContain(
      `complete -c longshore -n 'test "$(__longshore_at)" = "send"' -s l -l log-level -x -a 'warn debug' -d 'how much'`,
    );
    for (const script of [bashScript('longshore', nodes), zshScript('longshore', nodes)]) {
      for (const word of ['admin team create', '--log-level', '--json', 'warn']) expect(script).toContain(word);
    }
  });
});

it('the real tree comes through bash whole', async () => {
  let script = '';
  const spy = vi.spyOn(process.stdout, 'write').mockImplementation((said) => {
    script += said;
    return true;
  });
  const code = await main(['completion', 'bash']).finally(() => spy.mockRestore());
  expect(code).toBe(0);
  expect(offered(script, '')).toEqual(expect.arrayContaining(['agent', 'completion', 'pause', 'send', 'service', 'status', 'wait']));
  expect(offered(script, 'agent', '--log-level', 'd')).toEqual(['debug']);
  expect(offered(script, 'pause', '--ho')).toEqual(['--hours']);
  expect(offered(script, 'completion', '')).toEqual(['bash', 'fish', 'zsh']);
  expect(offered(script, 'get', '')).toEqual(['dailies day 1', 'notes.pdf']);
  // A script does not know the agent's transfers, and files are none.
  expect(offered(script, 'pause', '')).toEqual([]);
});
