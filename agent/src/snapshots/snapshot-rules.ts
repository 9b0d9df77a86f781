/** State of harnesses. Packed first, so that limits exclude other files. */
const harnessFolders = [
  '.claude',
  '.claude.json',
  '.codex',
  '.gemini',
  '.config/opencode',
  '.local/share/opencode',
  '.vibe',
  '.config/amp',
  '.local/share/amp',
];

/** Caches that tools rebuild. */
const caches = [
  '.cache',
  '.npm',
  '.cargo',
  '.rustup',
  '.local/bin',
  '.local/lib',
  '.docker',
  '.codex/tmp',
  '.claude/debug',
  '.oh-my-zsh',
  '.vscode-server',
  'go/pkg',
  '.local/share/pnpm',
  '.nvm',
  '.bun/install/cache',
  '.gradle',
  '.m2',
  '.config/opencode/node_modules',
];

/** Credential files. They never leave the machine; a restored session gets its own. */
const credentials = [
  '.ssh',
  '.aws',
  '.netrc',
  '.npmrc',
  '.config/gh',
  '.kube',
  '.azure',
  '.config/gcloud',
  '.gnupg',
  '.git-credentials',
  '.pypirc',
  '.claude/.credentials.json',
  '.codex/auth.json',
  '.codex/config.toml',
  '.vibe/config.toml',
  '.vibe/.env',
  '.gemini/oauth_creds.json',
  '.gemini/google_accounts.json',
  '.gemini/.env',
  '.local/share/opencode/auth.json',
  '.local/share/amp/secrets.json',
  '.config/git/credentials',
  '.claude/backups',
  '.gemini/mcp-oauth-tokens.json',
  '.local/share/opencode/mcp-auth.json',
  '.local/share/opencode/account.json',
  '.config/hub',
  '.config/glab-cli',
  '.config/op',
  '.config/composer/auth.json',
  '.composer/auth.json',
  '.terraform.d',
  '.gem/credentials',
  '.vault-token',
  '.boto',
  '.s3cfg',
];

/** Settings files that can hold credentials. They are captured key by key. */
const settingsFiles: readonly string[] = [
  '.claude.json',
  '.claude/.claude.json',
  '.claude/settings.json',
  '.claude/settings.local.json',
  '.config/opencode/opencode.json',
  '.config/opencode/opencode.jsonc',
  '.config/opencode/config.json',
  '.config/amp/settings.json',
  '.config/amp/settings.jsonc',
  '.gemini/settings.json',
];

/** Copies of `.claude.json`, with all its keys. */
const settingsCopy = /^\.claude(?:\/\.claude)?\.json\../;

/** A node agent writes it when the workspace goes to sleep. */
export const asleepMarker = '.svc-asleep';

const isExcludedName = (name: string) => name === 'node_modules';

/** Paths relative to the home that are never captured. */
export const excludedFromHome: readonly string[] = [...caches, ...credentials];

/** True when a snapshot may hold this path of a home. Checked at capture and at restore. */
export function belongsToSnapshot(path: string): boolean {
  const parts = path.split('/');
  if (parts.some(isExcludedName) || settingsCopy.test(path) || path === asleepMarker) return false;
  return !excludedFromHome.some((excluded) => path === excluded || path.startsWith(`${excluded}/`));
}

export const isSettingsFile = (path: string): boolean => settingsFiles.includes(path);

/** Lower values are packed first. */
export function priorityInHome(path: string): number {
  return harnessFolders.some((folder) => path === folder || path.startsWith(`${folder}/`)) ? 0 : 1;
}

/**
 * Git settings that are captured. Excludes addresses, credentials and headers: they can hold a
 * token, and the new clone has its own.
 */
const kept =
  /^(?:branch\.|user\.(?:name|email)$|core\.(?:hookspath|autocrlf|eol|ignorecase|excludesfile)$|pull\.|push\.|rebase\.|merge\.|diff\.|rerere\.|commit\.|alias\.)/i;
/** Settings that make git run a program are not captured. */
const runsProgram = /\.(?:command|cmd|driver|textconv|external|tool|helper|gpgsign)$/i;

export function isKeptSetting(key: string): boolean {
  return kept.test(key) && !runsProgram.test(key);
}
