import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import type { TerminalServerMessage } from '../../protocol/terminal.js';

const page = readFileSync(new URL('../../docs/agent-sockets.md', import.meta.url), 'utf8');

/** The compiler asks for a new kind here, and the test below for its row on the page. */
const fromNode: Readonly<Record<TerminalServerMessage['type'], true>> = {
  session_list: true,
  session_created: true,
  session_reattached: true,
  session_closed: true,
  session_renamed: true,
  error: true,
  pong: true,
};

it.each(Object.keys(fromNode))('the page of the sockets describes %s', (type) => {
  expect(page.split('### From the node')[1]).toContain(`| \`${type}\` |`);
});
