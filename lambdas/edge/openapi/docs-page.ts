import { curlExample } from './curl-example.js';
import { docsChapters } from './docs-chapters.js';
import { docsSearch } from './docs-search.js';
import { docsStyle } from './docs-style.js';
import type { OpenApiDocument } from './document.js';
import { type Field, fieldsOf, ruleOf, typeOf } from './fields.js';
import type { Operation, ResponseObject } from './operation.js';

interface Entry {
  readonly method: string;
  readonly path: string;
  readonly operation: Operation;
}

const escapeHtml = (text: string): string =>
  text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);

// Descriptions mark code with backticks.
const prose = (text: string): string => escapeHtml(text).replace(/`([^`]+)`/g, '<code>$1</code>');

/** The whole document as one page. Without its script only the search is missing. */
export function docsPage({ info, tags, paths }: OpenApiDocument): string {
  const entries = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ method: method.toUpperCase(), path, operation })),
  );
  const inArea = (area: string) => entries.filter(({ operation }) => operation.tags.includes(area));
  const menu = tags.map(
    ({ name }) => `<section><h2>${escapeHtml(name)}</h2>${inArea(name).map(menuItem).join('')}</section>`,
  );
  const areas = tags.map(
    ({ name, description }) =>
      `<section class="area"><h2>${escapeHtml(description)}</h2>${inArea(name).map(article).join('')}</section>`,
  );
  return `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>${escapeHtml(info.title)} API</title>
<meta name="viewport" content="width=device-width,initial-scale=1"><style>${docsStyle}</style></head><body>
<nav id="menu" aria-label="Endpoints"><strong>${escapeHtml(info.title)} API</strong><input type="search" placeholder="Search" aria-label="Search" hidden>
${chapterMenu}${menu.join('')}</nav><main><h1>${escapeHtml(info.title)} API</h1><p>${escapeHtml(info.description)} Version ${escapeHtml(info.version)}.
<a class="to-menu" href="#menu">All operations</a></p><p>The same as a file for tools: <a href="/openapi.json">/openapi.json</a>.
The callbacks of node agents: <a href="/openapi-callbacks.json">/openapi-callbacks.json</a>.</p>
${chapters}${areas.join('')}</main><script>${docsSearch}</script></body></html>`;
}

const chapters = docsChapters
  .map(({ id, title, html }) => `<section id="${id}"><h2>${title}</h2>${html}</section>`)
  .join('');
const chapterMenu = docsChapters.map(({ id, title }) => `<a href="#${id}">${title}</a>`).join('');

const menuItem = ({ method, path, operation }: Entry): string =>
  `<a href="#${operation.operationId}">${method} ${escapeHtml(path)}</a>`;

function article({ method, path, operation }: Entry): string {
  const body = Object.values(operation.requestBody?.content ?? {})[0]?.schema;
  return `<article id="${operation.operationId}"><h3><span class="method ${method.toLowerCase()}">${method}</span><code>${escapeHtml(path)}</code></h3>
<p>${prose(operation.summary)}.${operation.description ? ` ${prose(operation.description)}` : ''}</p>
<p class="auth">${callerOf(operation)}</p>
${fieldTable(
  'Parameters',
  operation.parameters.map(({ name, required, schema, description }) => ({
    name,
    required,
    type: typeOf(schema),
    rule: [ruleOf(schema), description ?? ''].filter(Boolean).join('; '),
  })),
)}
${body ? fieldTable(`Body (${Object.keys(operation.requestBody?.content ?? {}).join(' or ')})`, fieldsOf(body)) : ''}
<h4>Answers</h4>${answers(operation)}
<h4>Example</h4><pre>${escapeHtml(curlExample(method, path, operation))}</pre></article>`;
}

const callers: Readonly<Record<string, string>> = {
  session: 'Needs a session: the cookie <code>__Host-berth_session</code>',
  nodeToken: 'Needs the node’s callback token as a bearer',
  workspaceToken: 'Needs the workspace’s callback token as a bearer',
};

function callerOf({ security }: Operation): string {
  const [scheme] = Object.keys(security[0] ?? {});
  if (security.length > 1) return 'Looks at the session, if there is one';
  return (scheme && callers[scheme]) ?? 'Needs no session';
}

function fieldTable(title: string, fields: readonly Field[]): string {
  if (fields.length === 0) return '';
  const rows = fields.map(
    ({ name, type, required, rule }) =>
      `<tr><td><code>${escapeHtml(name)}</code></td><td>${escapeHtml(type)}</td><td>${required ? 'yes' : ''}</td><td>${prose(rule)}</td></tr>`,
  );
  return `<h4>${title}</h4><div class="wide"><table><thead><tr><th>Name</th><th>Type</th><th>Required</th><th>Rule</th></tr></thead><tbody>${rows.join('')}</tbody></table></div>`;
}

/** What goes right one by one, what goes wrong as one list. */
function answers({ responses }: Operation): string {
  const isError = ([, { content }]: [string, ResponseObject]) =>
    '$ref' in (content?.['application/json']?.schema ?? {});
  const all = Object.entries(responses);
  const errors = all
    .filter(isError)
    .map(([status, { description }]) => `<dt><code>${status}</code></dt><dd>${escapeHtml(description)}</dd>`);
  const successes = all.filter((each) => !isError(each)).map(answer);
  return `${successes.join('')}<dl class="errors">${errors.join('')}</dl>`;
}

function answer([status, { description, content }]: [string, ResponseObject]): string {
  const schema = content?.['application/json']?.schema;
  const line = `<p><code>${status}</code> ${escapeHtml(description)}</p>`;
  return schema && !('$ref' in schema)
    ? `${line}${fieldTable('', fieldsOf(schema)).replace('<h4></h4>', '')}`
    : line;
}
