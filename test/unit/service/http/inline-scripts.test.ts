import { expect, it } from 'vitest';
import { inlineScriptsOf } from '#service/http/inline-scripts.ts';
import { consolePageHeaders, withInlineScripts } from '#service/http/security-headers.ts';

const html = `<head><script data-home="/a.js">go();</script>
<script type="module" crossorigin src="/assets-web/console.js"></script></head>`;
// echo -n 'go();' | openssl dgst -sha256 -binary | base64
const digest = `'sha256-bYOqbsii8BMz1hC57p5sZG4K4cMuk6QQDiwupM2aRMM='`;

it('names the scripts that stand in a page by their digests, and lets it run these alone', () => {
  expect(inlineScriptsOf(html)).toEqual([digest]);
  const policy = withInlineScripts(consolePageHeaders('https://storage.example.com'), [digest])['content-security-policy']!;
  expect(policy).toContain(`script-src 'self' ${digest};`);
  expect(policy).not.toContain("script-src 'self' 'unsafe-inline'");
});

it('leaves the policy of a page without any as it is', () => {
  const headers = consolePageHeaders('https://storage.example.com');
  expect(withInlineScripts(headers, inlineScriptsOf('<script src="/a.js"></script>'))).toBe(headers);
});
