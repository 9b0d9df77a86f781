import { curlExample } from './curl-example.js';
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

/** The whole document as one page that needs no script. */
export function docsPage({ info, tags, paths }: OpenApiDocument): string {
  const entries = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ method: method.toUpperCase(), path, operation })),
  );
  const inArea = (area: string) => entries.filter(({ operation }) => operation.tags.includes(area));
  const menu = tags.map(({ name }) => `<h2>${escapeHtml(name)}</h2>${inArea(name).map(menuItem).join('')}`);
  const areas = tags.map(
    ({ name, description }) =>
      `<section class="area"><h2>${escapeHtml(description)}</h2>${inArea(name).map(article).join('')}</section>`,
  );
  return `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>${escapeHtml(info.title)} API</title>
<meta name="viewport" content="width=device-width,initial-scale=1"><style>${docsStyle}</style></head><body>
<nav aria-label="Endpoints"><strong>${escapeHtml(info.title)} API</strong>${menu.join('')}</nav><main><h1>${escapeHtml(info.title)} API</h1>
<p>${escapeHtml(info.description)}</p>${conventions}${areas.join('')}</main></body></html>`;
}

const conventions = `<p>The same as a file for tools: <a href="/openapi.json">/openapi.json</a>.</p>
<p>Every failure answers <code>{ "error": CODE, "message": text, "requestId": id }</code>, a bad request also <code>details</code>
with the failing fields. Codes are stable, messages are for people. Lists take <code>limit</code> and <code>cursor</code> and
answer <code>nextCursor</code>, null on the last page. Bodies may have 256 KiB.</p>`;

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

/** The look of the page; light and dark by the reader's own setting. */
const docsStyle = `
:root{color-scheme:light dark;--text:#1b2430;--soft:#5b6776;--line:#dfe4ea;--page:#fff;--panel:#f6f8fa;--accent:#0b6bcb}
@media(prefers-color-scheme:dark){:root{--text:#e4e9f0;--soft:#98a5b5;--line:#2c3643;--page:#10151c;--panel:#18202a;--accent:#6cb3ff}}
*{box-sizing:border-box}a{color:var(--accent)}
.errors{display:grid;grid-template-columns:auto 1fr;gap:.15rem .75rem;margin:.75rem 0 0;font-size:.875rem}.errors dt,.errors dd{margin:0}
body{margin:0;font:16px/1.55 system-ui,sans-serif;color:var(--text);background:var(--page);display:grid;grid-template-columns:18rem minmax(0,1fr)}
nav{position:sticky;top:0;height:100vh;overflow:auto;padding:1.5rem 1rem;border-right:1px solid var(--line);background:var(--panel);font-size:.875rem}
nav h2{font-size:.75rem;letter-spacing:.06em;text-transform:uppercase;color:var(--soft);margin:1.25rem 0 .25rem}
nav a{display:block;padding:.2rem .4rem;border-radius:.3rem;color:inherit;text-decoration:none;overflow-wrap:anywhere}
nav a:hover,nav a:focus-visible{background:var(--line)}
main{padding:2rem clamp(1rem,4vw,3rem);max-width:62rem}
h1{margin-top:0}section.area>h2{border-bottom:1px solid var(--line);padding-bottom:.3rem;margin-top:3rem}
article{margin:2rem 0;padding:1.25rem;border:1px solid var(--line);border-radius:.6rem}
article h3{margin:0 0 .25rem;font-size:1rem;overflow-wrap:anywhere}
.method{display:inline-block;min-width:4.2rem;text-align:center;border-radius:.3rem;padding:.1rem .4rem;margin-right:.5rem;font:600 .75rem/1.5 ui-monospace,monospace;color:#fff;background:#51606f}
.get{background:#1e6f50}.post{background:#0b5cab}.delete{background:#a8323e}.patch,.put{background:#8a5a00}
.auth{color:var(--soft);font-size:.875rem}h4{margin:1.25rem 0 .4rem;font-size:.875rem}
table{border-collapse:collapse;width:100%;font-size:.875rem}th,td{text-align:left;vertical-align:top;padding:.35rem .5rem;border-bottom:1px solid var(--line);overflow-wrap:anywhere}
th{color:var(--soft);font-weight:600;white-space:nowrap}td:first-child{min-width:12rem}td:nth-child(-n+3){overflow-wrap:normal}.wide{overflow-x:auto}
code,pre{font-family:ui-monospace,monospace;font-size:.8125rem}
pre{background:var(--panel);border:1px solid var(--line);padding:.75rem;border-radius:.4rem;overflow-x:auto}
@media(max-width:50rem){body{grid-template-columns:minmax(0,1fr)}nav{position:static;height:auto;border-right:0}}
`;
