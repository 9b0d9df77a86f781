import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { brotliCompressSync } from 'node:zlib';
import { beforeAll, describe, expect, it } from 'vitest';
import { built } from './builds/built.js';

describe('the files of the console', () => {
  let folder: string;
  let assets: string;
  beforeAll(async () => {
    folder = await built('web');
    assets = join(folder, 'assets');
  });

  const file = (name: string): string => {
    const found = readdirSync(assets).find((one) => new RegExp(`^${name}-[A-Z0-9]{8}\\.js$`).test(one));
    if (!found) throw new Error(`Nothing was built for ${name}`);
    return found;
  };
  const text = (name: string): string => readFileSync(join(assets, name), 'utf8');

  /** A file, and those that it needs before it can run. Files that it loads later do not count. */
  function needed(name: string, known = new Set<string>()): Set<string> {
    known.add(name);
    for (const [, other = ''] of text(name).matchAll(/(?:from|import)\s*"\.\/([^"]+)"/g))
      if (!known.has(other)) needed(other, known);
    return known;
  }
  const kilobytes = (names: Iterable<string>): number =>
    [...names].reduce((sum, name) => sum + brotliCompressSync(text(name)).length, 0) / 1_000;
  const initial = () => needed(file('main'));
  /** What these need that neither the first page nor `there` has loaded. */
  const more = (pages: readonly string[], there: readonly string[] = []): number => {
    const all = pages.flatMap((page) => [...needed(file(page))]);
    const already = new Set([...initial(), ...there.flatMap((page) => [...needed(file(page))])]);
    return kilobytes(new Set(all.filter((name) => !already.has(name))));
  };

  it('are at most 130 KB before the first page shows', () => {
    const size = kilobytes(initial());
    expect(size).toBeGreaterThan(60);
    expect(size).toBeLessThanOrEqual(130);
  });

  it('are few before the first page shows, and are requested at the same time', () => {
    const page = readFileSync(join(folder, 'index.html'), 'utf8');
    const others = [...initial()].filter((name) => name !== file('main'));
    expect(others.length).toBeLessThanOrEqual(2);
    for (const name of others) expect(page).toContain(`<link rel="modulepreload" href="/assets/${name}" />`);
  });

  it('show the tasks of a project without a further file', () => {
    const first = [...initial()].map(text).join('');
    expect(first).toContain('What should an agent do in');
    expect(first).not.toContain('An agent works on a task in a workspace of its own');
  });

  it('are at most 110 KB more for a task with its conversation', () => {
    expect(more(['part-task-page', 'part-markdown'])).toBeLessThanOrEqual(110);
  });

  it('are at most 12 KB more for a workspace, which shows before its terminal is loaded', () => {
    expect(more(['part-workspace-page'])).toBeLessThanOrEqual(12);
  });

  it.each(['part-workspace-page', 'part-task-page'])(
    'are at most 76 KB more for a terminal in %s',
    (page) => {
      const size = more(['part-terminal-screen'], [page]);
      expect(size).toBeGreaterThan(50);
      expect(size).toBeLessThanOrEqual(76);
    },
  );

  it('are at most 75 KB more for the changes of a task', () => {
    expect(more(['part-changes-tab'], ['part-task-page'])).toBeLessThanOrEqual(75);
  });

  it('are at most 30 KB more for the highlighting of code, which no page waits for', () => {
    expect(more(['part-highlighter'])).toBeLessThanOrEqual(30);
    for (const page of ['part-task-page', 'part-markdown', 'part-changes-tab'])
      expect([...needed(file(page))]).not.toContain(file('part-highlighter'));
  });

  it('load the terminal emulator and the markdown reader when they are shown', () => {
    const holds = (files: Iterable<string>, what: string) =>
      [...files].some((name) => text(name).includes(what));
    expect(holds(needed(file('part-task-page'), initial()), 'xterm-screen')).toBe(false);
    expect(holds(needed(file('part-task-page'), initial()), 'unwrapDisallowed')).toBe(false);
    expect(holds(needed(file('part-workspace-page')), 'xterm-screen')).toBe(false);
    expect(holds(needed(file('part-terminal-screen')), 'xterm-screen')).toBe(true);
  });

  it('set the theme before the first paint, in a small script that needs no other', () => {
    const page = readFileSync(join(folder, 'index.html'), 'utf8');
    const theme = file('theme');
    expect(page).toContain(`<script src="/assets/${theme}"></script>`);
    expect(page.indexOf(theme)).toBeLessThan(page.indexOf(file('main')));
    expect([...needed(theme)]).toEqual([theme]);
    expect(text(theme).length).toBeLessThan(1_000);
  });

  it('have a service worker at the root, which is small and needs no other file', () => {
    const worker = readFileSync(join(folder, 'push-worker.js'), 'utf8');
    expect(worker).toContain('notificationclick');
    expect(worker).not.toMatch(/\bimport\b/);
    expect(worker.length).toBeLessThan(4_000);
  });

  it('are named by the page that loads them', () => {
    const page = readFileSync(join(folder, 'index.html'), 'utf8');
    expect(page).toContain(`/assets/${file('main')}`);
    expect(page).not.toContain('{{');
  });
});
