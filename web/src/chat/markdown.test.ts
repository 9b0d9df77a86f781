import { createElement } from 'react';
import { renderToStaticMarkup } from 'react-dom/server';
import { expect, it } from 'vitest';
import { Markdown } from './markdown.js';

const rendered = (text: string) => renderToStaticMarkup(createElement(Markdown, { text }));
const links = (html: string) => [...html.matchAll(/href="([^"]*)"/g)].map(([, href]) => href);

it('has addresses of the web and of mail only, whatever the text says', () => {
  const schemes = [
    'javascript:f()',
    'JaVaScRiPt:f()',
    'data:text/html,x',
    'vbscript:x',
    'file:///etc/passwd',
  ];
  const others = [
    'blob:x',
    'ftp://a.example/',
    '//a.example/',
    '/api/auth/sign-out',
    'x:y',
    '\tjavascript:f()',
  ];
  const safe = ['https://a.example/', 'http://a.example/', 'mailto:a@a.example'];
  const text = [...schemes, ...others, ...safe].map((url) => `[name](<${url}>)`).join(' ');

  expect(links(rendered(text))).toEqual(safe);
  expect(links(rendered('<javascript:f()> <https://b.example/>\n\n[r]\n\n[r]: javascript:f()'))).toEqual([
    'https://b.example/',
  ]);
});

it('shows HTML as text, and no image', () => {
  const html = rendered('<img src=x onerror="f()"><script>f()</script>\n\n![alt](https://a.example/x.png)');
  expect(html).not.toMatch(/<(?:img|script)/);
  expect(html).toContain('&lt;script&gt;');
});

it('opens a link in a page that knows nothing of this one', () => {
  expect(rendered('[name](https://a.example/)')).toContain('rel="noreferrer noopener"');
});

it('keeps code as it is, before it is highlighted', () => {
  expect(rendered('```ts\nconst a = "<b>";\n```')).toContain(
    '<pre><code>const a = &quot;&lt;b&gt;&quot;;\n</code></pre>',
  );
  expect(rendered('`a < b`')).toContain('<code>a &lt; b</code>');
});
