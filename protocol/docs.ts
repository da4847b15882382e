import { credentialSpecs } from './credentials.ts';
import { curlLine } from './docs/curl.ts';
import { type Field, fieldsOf } from './docs/fields.ts';
import { escapeHtml, prose } from './docs/html.ts';
import { errorCatalogue } from './errors.ts';
import { exampleOf } from './example.ts';
import { asJsonSchema } from './json-schema.ts';
import {
  type ApiInfo,
  creates,
  deviceSecretWords,
  guessable,
  idempotencyKeyWords,
  linkCodeWords,
  senderSecretWords,
  takesSenders,
} from './openapi.ts';
import type { CredentialKind, DocTable, OutboundCalls, Route, RouteTable } from './route.ts';
import { errorsOf } from './route-errors.ts';

export { docsStyle } from './docs/style.ts';

/** Addresses of the page's two related files; they are relative, so that they work behind a path prefix. */
interface DocsLinks {
  readonly style?: string;
  readonly openApi?: string;
}

type Named = readonly [name: string, route: Route];

/**
 * The reference page of a route table: one HTML document without scripts, inline styles or external requests, so that
 * it works under the strictest Content-Security-Policy. Its style sheet is `docsStyle`, served as `docs.css` next to
 * it.
 */
export function docsPage(routes: RouteTable, info: ApiInfo, links: DocsLinks = {}): string {
  const tags = Map.groupBy(Object.entries(routes), ([, route]) => route.tag);
  const { style = 'docs.css', openApi = 'openapi.json' } = links;
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${escapeHtml(info.title)}</title>
<link rel="stylesheet" href="${escapeHtml(style)}">
</head>
<body>
<a class="skip" href="#main">Skip to the endpoints</a>
<nav aria-label="Endpoints">
<p class="brand"><a href="#top">${escapeHtml(info.title)}</a> <span class="version">${escapeHtml(info.version)}</span></p>
<details class="contents" open>
<summary>Contents</summary>
<ul class="guide"><li><a href="#credentials">Credentials</a></li><li><a href="#errors">Errors</a></li></ul>
${[...tags].map(([tag, entries]) => contents(tag, entries)).join('\n')}
${outboundContents(info.webhooks ?? {})}
</details>
</nav>
<main id="main">
<header id="top">
<h1>${escapeHtml(info.title)}</h1>
<p>${prose(info.description)}</p>
<dl class="facts">
<dt>Address</dt><dd><code>${escapeHtml(info.serverUrl)}</code></dd>
<dt>For programs</dt><dd><a href="${escapeHtml(openApi)}">OpenAPI 3.1 document</a></dd>
<dt>Bodies</dt><dd>JSON, UTF-8. Times are ISO 8601 in UTC. Sizes are bytes. Unknown fields are ignored.</dd>
</dl>
</header>
${credentials(routes, info)}
${[...tags].map(([tag, entries]) => section(tag, entries, info)).join('\n')}
${outbound(info.webhooks ?? {})}
${errors(routes)}
</main>
</body>
</html>
`;
}

const anchor = (text: string): string => text.toLowerCase().replace(/[^a-z0-9]+/g, '-');
const method = (route: Route): string => `<span class="method ${route.method.toLowerCase()}">${route.method}</span>`;
/** Lets a path wrap at its slashes on a narrow screen. */
const breakable = (path: string): string => escapeHtml(path).replaceAll('/', '/<wbr>');

function contents(tag: string, entries: readonly Named[]): string {
  const items = entries.map(
    ([name, route]) => `<li><a href="#${escapeHtml(name)}">${method(route)} <span>${breakable(route.path)}</span></a></li>`,
  );
  return `<p class="tag"><a href="#tag-${anchor(tag)}">${escapeHtml(tag)}</a></p>\n<ul>${items.join('')}</ul>`;
}

function section(tag: string, entries: readonly Named[], info: ApiInfo): string {
  const id = `tag-${anchor(tag)}`;
  return `<section aria-labelledby="${id}">\n<h2 id="${id}">${escapeHtml(tag)}</h2>\n${entries.map((entry) => endpoint(entry, info)).join('\n')}\n</section>`;
}

function endpoint([name, route]: Named, info: ApiInfo): string {
  const id = escapeHtml(name);
  return `<article id="${id}" aria-labelledby="${id}-title">
<h3 id="${id}-title">${method(route)} <code>${breakable(route.path)}</code> <a class="anchor" href="#${id}" aria-label="Link to ${id}">#</a></h3>
<p>${prose(route.summary)}</p>
${credentialLine(route.credentials)}
<div class="columns">
<div class="words">
${fieldTable('Path', route.params && fieldsOf(asJsonSchema(route.params)))}
${fieldTable('Query', route.query && fieldsOf(asJsonSchema(route.query)))}
${headerTable(route, info)}
${fieldTable('Body', route.body && fieldsOf(asJsonSchema(route.body)))}
${(route.tables ?? []).map(docTable).join('\n')}
${reply(route)}
${errorList(route)}
</div>
<div class="examples">
<h4>Example</h4>
<pre tabindex="0"><code>${escapeHtml(curlLine(route, info.serverUrl))}</code></pre>
${exampleReply(route)}
</div>
</div>
</article>`;
}

function credentialLine(kinds: readonly CredentialKind[]): string {
  if (kinds.length === 1 && kinds[0] === 'none') return '';
  const needed = kinds.filter((kind) => kind !== 'none');
  const names = [...Map.groupBy(needed, (kind) => credentialSpecs[kind].header)].map(([header, same]) => {
    const labels = same.map((kind) => credentialSpecs[kind].label).join(' or ');
    return header === null ? labels : `${labels} in <code>${header}</code>`;
  });
  const verb = needed.length === kinds.length ? 'Needs' : 'Takes, but does not always need,';
  return `<p class="credential">${verb} ${names.join(', or ')}.</p>`;
}

function fieldTable(caption: string, fields: readonly Field[] | undefined): string {
  if (!fields || fields.length === 0) return '';
  const rows = fields.map((field) => {
    const facts = field.facts.map((fact) => `<span class="fact">${escapeHtml(fact)}</span>`).join(' ');
    const words = [field.description === '' ? '' : prose(field.description), facts].filter((part) => part !== '').join(' ');
    const need = field.required ? '<span class="required">required</span>' : '';
    const path = escapeHtml(field.path === '' ? 'the value' : field.path).replace(/([._])/g, '$1<wbr>');
    return `<tr><th scope="row"><code>${path}</code>${need}</th><td><span class="type">${escapeHtml(field.type)}</span> ${words}</td></tr>`;
  });
  return `<h4>${caption}</h4>\n<table><tbody>${rows.join('\n')}</tbody></table>`;
}

function headerTable(route: Route, info: ApiInfo): string {
  const fields: Field[] = [];
  const add = (path: string, description: string) => fields.push({ path, type: 'string', required: false, facts: [], description });
  if (route.credentials.includes('link')) add('X-Link-Password', "The link's password, if it has one.");
  if (route.errors?.includes('link_code_required')) add('X-Link-Code', linkCodeWords);
  if (guessable(route)) add('X-Device-Secret', deviceSecretWords);
  if (info.idempotencyKeys && creates(route)) {
    add('Idempotency-Key', idempotencyKeyWords);
    if (takesSenders(route)) add('X-Sender-Secret', senderSecretWords);
  }
  return fieldTable('Headers', fields);
}

function reply(route: Route): string {
  const what = route.reply;
  if ('stream' in what) {
    const stream = `<h4>Reply ${what.status}</h4>\n<p>A stream of <code>${what.stream}</code>.</p>`;
    if (!what.messages) return stream;
    const fields = fieldsOf(asJsonSchema(what.messages)).map((field) => ({ ...field, required: false }));
    return `${stream}\n${fieldTable('Each message: one line <code>data: {…}</code> with these fields', fields)}`;
  }
  if (!('body' in what)) return `<h4>Reply ${what.status}</h4>\n<p>No body.</p>`;
  const rows = fieldsOf(asJsonSchema(what.body)).map((field) => ({ ...field, required: false }));
  const table = fieldTable('Fields', rows).replace('<h4>Fields</h4>', '');
  const list = asJsonSchema(what.body).type === 'array' ? ' <span class="note">a list</span>' : '';
  return `<h4>Reply ${what.status}${list}</h4>\n<details class="reply"><summary>${rows.length === 1 ? '1 field' : `${rows.length} fields`}</summary>${table}</details>`;
}

function docTable({ title, columns, rows }: DocTable): string {
  const head = columns.map((column) => `<th scope="col">${escapeHtml(column)}</th>`).join('');
  const body = rows.map(
    ([first = '', ...rest]) => `<tr><th scope="row">${prose(first)}</th>${rest.map((cell) => `<td>${prose(cell)}</td>`).join('')}</tr>`,
  );
  return `<h4>${escapeHtml(title)}</h4>\n<details class="reply"><summary>${rows.length} rows</summary><table><thead><tr>${head}</tr></thead><tbody>${body.join('\n')}</tbody></table></details>`;
}

function exampleReply(route: Route): string {
  if (!('body' in route.reply)) return '';
  const value = exampleOf(asJsonSchema(route.reply.body));
  return `<h4>Answer</h4>\n<pre tabindex="0"><code>${escapeHtml(JSON.stringify(value, null, 2))}</code></pre>`;
}

function errorList(route: Route): string {
  const items = errorsOf(route).map(
    (name) => `<a href="#error-${name}" title="${escapeHtml(errorCatalogue[name].message)}">${errorCatalogue[name].status} ${name}</a>`,
  );
  return `<h4>Errors</h4>\n<p class="errors">${items.join(' ')}</p>`;
}

function credentials(routes: RouteTable, info: ApiInfo): string {
  const used = [...new Set(Object.values(routes).flatMap((route) => route.credentials))].filter((kind) => kind !== 'none');
  const rows = used.map((kind) => {
    const { label, header, meaning } = credentialSpecs[kind];
    return `<tr><th scope="row">${label}${header === null ? '' : `<br><code>${header}</code>`}</th><td>${prose(meaning)}</td></tr>`;
  });
  const bearer =
    info.bearerToken === undefined
      ? ''
      : `<tr><th scope="row">bearer token<br><code>Authorization</code></th><td>${prose(info.bearerToken)}</td></tr>`;
  const none = used.length === 0 && bearer === '' ? '<p>No call needs a credential.</p>' : '';
  return `<section aria-labelledby="credentials">
<h2 id="credentials">Credentials</h2>
${none}${none === '' ? `<table class="wide"><tbody>${rows.join('\n')}${bearer}</tbody></table>` : ''}
</section>`;
}

function outboundContents(calls: OutboundCalls): string {
  const items = Object.keys(calls).map((name) => `<li><a href="#webhook-${anchor(name)}"><code>${escapeHtml(name)}</code></a></li>`);
  return items.length === 0 ? '' : `<p class="tag"><a href="#webhooks-sent">What webhooks receive</a></p>\n<ul>${items.join('')}</ul>`;
}

/** The requests that the API itself sends. */
function outbound(calls: OutboundCalls): string {
  const articles = Object.entries(calls).map(([name, { summary, headers, body }]) => {
    const id = `webhook-${anchor(name)}`;
    const schema = asJsonSchema(body);
    const rows = headers.map(({ name: path, description }) => ({ path, type: 'string', required: true, facts: [], description }));
    const example = JSON.stringify({ ...(exampleOf(schema) as object), event_type: name }, null, 2);
    return `<article id="${id}" aria-labelledby="${id}-title">
<h3 id="${id}-title"><code>${escapeHtml(name)}</code> <a class="anchor" href="#${id}" aria-label="Link to ${id}">#</a></h3>
<p>${prose(summary)} By POST or PUT, as the webhook has it. Any answer but 2xx within 15 seconds is tried again.</p>
<div class="columns">
<div class="words">
${fieldTable('Headers', rows)}
${fieldTable('Body', fieldsOf(schema))}
</div>
<div class="examples">
<h4>Body</h4>
<pre tabindex="0"><code>${escapeHtml(example)}</code></pre>
</div>
</div>
</article>`;
  });
  if (articles.length === 0) return '';
  return `<section aria-labelledby="webhooks-sent">\n<h2 id="webhooks-sent">What webhooks receive</h2>\n${articles.join('\n')}\n</section>`;
}

function errors(routes: RouteTable): string {
  const used = new Set(Object.values(routes).flatMap(errorsOf));
  const rows = [...used]
    .map((name) => ({ name, ...errorCatalogue[name] }))
    .sort((a, b) => a.status - b.status || a.code - b.code)
    .map(
      ({ name, status, code, message }) =>
        `<tr id="error-${name}"><th scope="row">${status}</th><td><code>${code}</code></td><td><code>${name}</code></td><td>${prose(message)}</td></tr>`,
    );
  return `<section aria-labelledby="errors">
<h2 id="errors">Errors</h2>
<p>Every error has the same body: <code>{ "code": integer, "message": string }</code>. Programs decide by the code; the message says what is wrong and what to do. Names in braces stand for what is known at the time.</p>
<div class="scroll" tabindex="0" role="region" aria-label="All errors"><table class="wide catalogue">
<thead><tr><th scope="col">Status</th><th scope="col">Code</th><th scope="col">Name</th><th scope="col">Message</th></tr></thead>
<tbody>${rows.join('\n')}</tbody></table></div>
</section>`;
}
