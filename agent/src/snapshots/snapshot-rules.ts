/** State of the harnesses: packed first, so that it is not what a limit leaves out. */
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

/** What tools make again by themselves. */
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

/** Secrets: they are given anew to whoever wakes, and never leave the machine. */
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
];

const isExcludedName = (name: string) => name === 'node_modules';

/** Paths, relative to a home, that a snapshot leaves out whatever they hold. */
export const excludedFromHome: readonly string[] = [...caches, ...credentials];

/** Whether a snapshot may hold this path of a home; asked again of what comes back. */
export function belongsToSnapshot(path: string): boolean {
  const parts = path.split('/');
  if (parts.some(isExcludedName)) return false;
  return !excludedFromHome.some((excluded) => path === excluded || path.startsWith(`${excluded}/`));
}

/** Smaller comes first. */
export function priorityInHome(path: string): number {
  return harnessFolders.some((folder) => path === folder || path.startsWith(`${folder}/`)) ? 0 : 1;
}

/**
 * Settings of a repository that a person or an agent made there. Addresses, credentials and headers are left out: they
 * can hold a token, and the new clone has its own.
 */
const kept =
  /^(?:branch\.|user\.(?:name|email)$|core\.(?:hookspath|autocrlf|eol|ignorecase|excludesfile)$|pull\.|push\.|rebase\.|merge\.|diff\.|rerere\.|commit\.|alias\.)/i;
/** Programs that git would run: they come with the machine, not with a snapshot. */
const runsProgram = /\.(?:command|cmd|driver|textconv|external|tool|helper|gpgsign)$/i;

export function isKeptSetting(key: string): boolean {
  return kept.test(key) && !runsProgram.test(key);
}
