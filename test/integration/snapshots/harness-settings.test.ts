import { chmodSync, existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { zstdDecompressSync } from 'node:zlib';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { SnapshotManifest } from '../../../protocol/snapshots.js';
import { captureInto, restoreFrom } from './capture-and-restore.js';
import { LocalWorkspace } from './local-workspace.js';
import { ObjectStore } from './object-store.js';

let store: ObjectStore;
beforeAll(async () => {
  store = await ObjectStore.start();
});
afterAll(() => store[Symbol.asyncDispose]());

const secret = 'MARKER-OF-A-KEY';
const mcp = { type: 'http', url: 'https://mcp.example.com', headers: { 'X-Own': secret } };

/** Files of the six harnesses that hold a key, in the form in which the harness writes them. */
const settings: Readonly<Record<string, unknown>> = {
  '.claude.json': {
    numStartups: 4,
    primaryApiKey: secret,
    customApiKeyResponses: { approved: [secret], rejected: [] },
    oauthAccount: { accountUuid: secret, emailAddress: secret },
    mcpServers: { remote: mcp, local: { command: 'tool', args: ['serve'], env: { OWN: secret } } },
    projects: {
      '/work/app': { hasTrustDialogAccepted: true, lastTotalInputTokens: 12, mcpServers: { remote: mcp } },
    },
  },
  '.claude/settings.json': {
    env: { ANTHROPIC_AUTH_TOKEN: secret },
    permissions: { allow: ['Bash(npm test)'] },
    model: 'opus',
  },
  '.claude/settings.local.json': { awsCredentialExport: `print ${secret}`, theme: 'dark' },
  '.config/opencode/opencode.json': {
    theme: 'system',
    keybinds: { leader: 'ctrl+x' },
    provider: { own: { options: { baseURL: 'https://model.example.com', apiKey: secret } } },
    mcp: { remote: mcp, local: { type: 'local', command: ['tool'], environment: { OWN: secret } } },
  },
  '.config/amp/settings.json': {
    'amp.notifications.enabled': false,
    'amp.mcpServers': { remote: mcp },
    'amp.apiKey': secret,
  },
  '.gemini/settings.json': {
    theme: 'Default',
    mcpServers: { remote: { httpUrl: `https://user:${secret}@mcp.example.com`, headers: { a: secret } } },
    security: { auth: { selectedType: 'oauth-personal' } },
  },
};

/** Files that hold nothing but credentials, or whose form is not JSON. */
const leftOut: readonly string[] = [
  '.claude/.credentials.json',
  '.claude.json.backup',
  '.claude.json.backup.1763000000000',
  '.claude/backups/.claude.json.backup.1',
  '.codex/auth.json',
  '.codex/config.toml',
  '.gemini/oauth_creds.json',
  '.gemini/mcp-oauth-tokens.json',
  '.gemini/.env',
  '.local/share/opencode/auth.json',
  '.local/share/opencode/mcp-auth.json',
  '.vibe/.env',
  '.vibe/config.toml',
  '.local/share/amp/secrets.json',
];

function put(machine: LocalWorkspace, path: string, text: string): void {
  const file = join(machine.home, path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
}

function contentOf({ sections }: SnapshotManifest): string {
  const parts = sections
    .filter(({ sizeBytes }) => sizeBytes > 0)
    .map(({ artifact, offset, sizeBytes }) =>
      zstdDecompressSync(store.object(artifact).subarray(offset, offset + sizeBytes)),
    );
  return Buffer.concat(parts).toString('latin1');
}

function repository(): LocalWorkspace {
  const machine = new LocalWorkspace();
  mkdirSync(machine.workDir);
  machine.sh('git init -q -b main && echo a >a && git add a && git commit -qm a');
  return machine;
}

it('captures settings of harnesses without their keys', async () => {
  const machine = repository();
  for (const [path, content] of Object.entries(settings))
    put(machine, path, JSON.stringify(content, null, 2));
  put(machine, '.config/opencode/opencode.jsonc', `{ // own\n "username": "me", "apiKey": "${secret}", }`);
  put(machine, '.config/amp/settings.jsonc', `no JSON, with ${secret}`);
  for (const path of leftOut) put(machine, path, secret);
  chmodSync(join(machine.home, '.claude.json'), 0o600);

  const { manifest } = await captureInto(store, machine);
  expect(contentOf(manifest)).not.toContain(secret);
  expect(manifest.status).toBe('available');

  const woken = repository();
  expect((await restoreFrom(store, woken, manifest)).missing).toEqual([]);
  const read = (path: string) => JSON.parse(readFileSync(join(woken.home, path), 'utf8'));
  expect(read('.claude.json')).toEqual({
    numStartups: 4,
    mcpServers: {
      remote: { type: 'http', url: 'https://mcp.example.com' },
      local: { command: 'tool', args: ['serve'] },
    },
    projects: {
      '/work/app': {
        hasTrustDialogAccepted: true,
        lastTotalInputTokens: 12,
        mcpServers: { remote: { type: 'http', url: 'https://mcp.example.com' } },
      },
    },
  });
  expect(read('.claude/settings.json')).toEqual({
    permissions: { allow: ['Bash(npm test)'] },
    model: 'opus',
  });
  expect(read('.config/opencode/opencode.json')).toMatchObject({ keybinds: { leader: 'ctrl+x' } });
  expect(read('.config/opencode/opencode.jsonc')).toEqual({ username: 'me' });
  expect(read('.gemini/settings.json')).toMatchObject({
    security: { auth: { selectedType: 'oauth-personal' } },
  });
  expect(existsSync(join(woken.home, '.config/amp/settings.jsonc'))).toBe(false);
  expect(statSync(join(woken.home, '.claude.json')).mode & 0o777).toBe(0o600);
});

it('captures no settings through a link', async () => {
  const machine = repository();
  put(machine, 'private/notes.json', '{"note":"linked"}');
  machine.sh('mkdir -p "$HOME/.gemini" && ln -s ../private/notes.json "$HOME/.gemini/settings.json"');

  const { manifest } = await captureInto(store, machine);
  const woken = repository();
  await restoreFrom(store, woken, manifest);

  expect(woken.sh('readlink "$HOME/.gemini/settings.json"').trim()).toBe('../private/notes.json');
});
