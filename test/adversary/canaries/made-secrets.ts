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
const ofNode = /^file ec2\/i-[^/]+\/(state\/|node\.env$)/;

/** Tokens that nodes have of the control plane, as their agents keep them. */
export function tokensOnDisk(stateDir: string): readonly Canary[] {
  const folder = join(stateDir, 'ec2');
  if (!existsSync(folder)) throw new Error('There is no node');
  const texts = [...filesBelow(stateDir)]
    .filter(({ name }) => ofNode.test(name))
    .map(({ content }) => content.toString('latin1'));
  const found = (pattern: RegExp) => [...new Set(texts.flatMap((text) => text.match(pattern) ?? []))];
  const mayBeIn = [[ofNode, 'the agent keeps it for its next start']] as const;
  return [
    ...found(jwt).map((value) => ({ name: 'a callback token', value, mayBeIn })),
    ...found(mcpToken).map((value) => ({
      name: 'an MCP token',
      value,
      mayBeIn: [
        ...mayBeIn,
        [/^file journal\.jsonl$/, 'the coding agent of the tests notes what it is given'],
      ] as const,
    })),
  ];
}
