import { describe, expect, it } from 'vitest';
import { desktopOptions } from '#main/electron/options.ts';

describe('desktopOptions', () => {
  it('has the defaults of the command line’s agent', () => {
    expect(desktopOptions([], { HOME: '/home/mia' }, '/srv')).toMatchObject({
      headless: false,
      serviceUrl: 'http://127.0.0.1:8080',
      apiKey: undefined,
      listen: { host: '127.0.0.1', port: 8090 },
      listenChosen: false,
    });
  });

  it('takes flags before the environment, and passes over those of Chromium', () => {
    const argv = ['--no-sandbox', '--headless', '--api-key', 'ls_flag', '--data-dir=data', '--listen', '127.0.0.1:0', '--inspect=1', '.'];
    const environment = { LONGSHORE_API_KEY: 'ls_env', LONGSHORE_SERVICE_URL: 'https://share.example.com/' };
    expect(desktopOptions(argv, environment, '/srv')).toEqual({
      headless: true,
      hidden: false,
      serviceUrl: 'https://share.example.com',
      apiKey: 'ls_flag',
      listen: { host: '127.0.0.1', port: 0 },
      listenChosen: true,
      requireToken: false,
      dataDir: '/srv/data',
      updateUrl: undefined,
      deepLink: null,
    });
  });

  it('wants a token by the flag or the environment', () => {
    const wants = (argv: string[], answer?: string) =>
      desktopOptions(argv, answer === undefined ? {} : { LONGSHORE_REQUIRE_TOKEN: answer }, '/srv').requireToken;
    expect([wants([]), wants(['--require-token']), wants([], 'yes'), wants([], 'no')]).toEqual([false, true, true, false]);
  });

  it('finds the deep link wherever Chromium leaves it', () => {
    const link = 'longshore://download?url=x';
    expect(desktopOptions(['--hidden', link, '--allow-file-access'], {}, '/srv')).toMatchObject({ hidden: true, deepLink: link });
    expect(desktopOptions(['https://example.com', `longshore://${'x'.repeat(20_000)}`], {}, '/srv').deepLink).toBeNull();
  });

  it.each([
    [['--update-url', 'http://builds.example.com'], /https only/],
    [['--update-url', 'file:///srv'], /http/],
    [['--service-url', 'ftp://x'], /http/],
    [['--listen', 'nowhere:port'], /HOST:PORT/],
    [['--api-key-file', '/does/not/exist'], /cannot be read/],
  ])('says what is wrong with %j', (argv, message) => {
    expect(() => desktopOptions(argv, {}, '/srv')).toThrow(message);
  });
});
