import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { createLogger } from '#service/log.ts';
import { tempFolder } from '#test/support/system/temp-folder.ts';

it('is a line for each entry, whatever stands in its texts', async () => {
  const folder = await tempFolder();
  try {
    const file = join(folder.path, 'log');
    const log = createLogger('info', file);
    const name = 'Day 12\r\n{"level":50,"msg":"forged"}\u2028\u001b[2J';
    log.warn({ name, err: new Error(name) }, `It failed: ${name}`);
    log.info({}, 'after');
    const lines = readFileSync(file, 'utf8').split('\n');
    expect(lines).toHaveLength(3);
    expect(lines[0]).not.toContain('\u001b');
    expect(JSON.parse(lines[0]!)).toMatchObject({ level: 40, name, err: { message: name }, msg: `It failed: ${name}` });
    expect(JSON.parse(lines[1]!)).toMatchObject({ level: 30, msg: 'after' });
  } finally {
    await folder.remove();
  }
});

it('says what an error is that a library tells of by a copy of its fields', async () => {
  const folder = await tempFolder();
  try {
    const file = join(folder.path, 'log');
    const log = createLogger('info', file);
    const thrown = Object.assign(new Error('the queue cannot be read'), { code: '57P01', connection: { password: 'secret' } });
    // As pg-boss emits it.
    log.warn({ err: { ...thrown, message: thrown.message, stack: thrown.stack, queue: 'expire_packages' } }, 'it goes on');
    const [line] = readFileSync(file, 'utf8').split('\n');
    expect(JSON.parse(line!).err).toEqual({ message: thrown.message, code: '57P01', stack: thrown.stack });
  } finally {
    await folder.remove();
  }
});
