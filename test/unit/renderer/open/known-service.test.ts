import { expect, it } from 'vitest';
import { isKnownService, serviceName } from '#renderer/open/known-service.ts';

it.each([
  ['https://files.example.com', ['https://files.example.com/'], true],
  ['https://files.example.com', ['https://FILES.example.com'], true],
  ['https://files.example.com/share', ['https://files.example.com/share/'], true],
  ['https://files.example.com', ['https://other.example.com', 'https://files.example.com'], true],
  ['https://files.example.com/evil', ['https://files.example.com'], false],
  ['https://files.example.com:8443', ['https://files.example.com'], false],
  ['https://files.example.com.evil.example', ['https://files.example.com'], false],
  ['http://127.0.0.1:8080', ['http://127.0.0.1:8081'], false],
  ['https://files.example.com', [''], false],
  ['', [''], false],
])('%s among %j: %s', (service, known, expected) => {
  expect(isKnownService(service, known)).toBe(expected);
});

it('a service is named by host and path, and says when it is not https', () => {
  expect(serviceName('https://files.example.com/share')).toBe('files.example.com/share');
  expect(serviceName('http://127.0.0.1:8080')).toBe('http://127.0.0.1:8080');
});
