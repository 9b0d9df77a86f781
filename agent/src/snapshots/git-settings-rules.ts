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
