import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { AppCredentials } from '../../../local/code-host/app-credentials.js';
import { type Canary, filesBelow } from './places.js';

/** Secrets of the code-host application, stored by the code host and Secrets Manager. */
export function codeHostCanaries(stateDir: string): readonly Canary[] {
  const file = [...filesBelow(stateDir)].find(({ content }) => isAppCredentials(content));
  if (!file) throw new Error('The code host has no credentials in the state folder');
  const { clientSecret, privateKey } = AppCredentials.parse(JSON.parse(file.content.toString()));
  const mayBeIn = [
    [new RegExp(`^${file.name}$`), 'the code host of the laptop is its other half'],
    [/^file emulator\//, 'Secrets Manager keeps it'],
  ] as const;
  return [
    { name: 'the client secret of the code host', value: clientSecret, mayBeIn },
    // One line of it: everything that escapes line ends would hide the whole.
    { name: 'the private key of the code host', value: String(privateKey.split('\n')[3]), mayBeIn },
  ];
}

function isAppCredentials(content: Buffer): boolean {
  if (content.length > 8_192 || !content.includes('clientSecret')) return false;
  try {
    return AppCredentials.safeParse(JSON.parse(content.toString())).success;
  } catch {
    return false;
  }
}

const jwt = /eyJ[\w-]{10,}\.eyJ[\w-]{10,}\.[\w-]{20,}/g;
const mcpToken = /(?:[0-9A-HJKMNP-TV-Z]{26}\.){5}[\w-]{43}/g;
const nodeToken = /^file ec2\/i-[^/]+\/state\/callback-token$/;
const journal = /^file journal\.jsonl$/;

/**
 * Tokens of the control plane: the one of each node, and those of the coding agents. The
 * database of a node contains sealed tokens only.
 */
export function tokensOnDisk(stateDir: string, harnessFolder: string): readonly Canary[] {
  const folder = join(stateDir, 'ec2');
  if (!existsSync(folder)) throw new Error('There is no node');
  const found = (below: string, file: RegExp, pattern: RegExp) => {
    const texts = [...filesBelow(below)]
      .filter(({ name }) => file.test(name))
      .map(({ content }) => content.toString('latin1'));
    return [...new Set(texts.flatMap((text) => text.match(pattern) ?? []))];
  };
  return [
    ...found(stateDir, nodeToken, jwt).map((value) => ({
      name: 'a callback token',
      value,
      mayBeIn: [[nodeToken, 'the agent of the node keeps it for its next start']] as const,
    })),
    ...found(harnessFolder, journal, mcpToken).map((value) => ({
      name: 'an MCP token',
      value,
      mayBeIn: [[journal, 'the coding agent of the tests records its arguments']] as const,
    })),
  ];
}
