/** Values of the API with their names for people. */
export const agents = [
  ['claude-code', 'Claude Code'],
  ['openai-codex', 'OpenAI Codex'],
  ['google-gemini', 'Google Gemini'],
  ['mistral-vibe', 'Mistral Vibe'],
  ['opencode', 'OpenCode'],
  ['amp', 'Amp (experimental)'],
] as const;
export const efforts = [
  ['low', 'Low'],
  ['medium', 'Medium'],
  ['high', 'High'],
  ['xhigh', 'Very high'],
  ['max', 'Maximum'],
] as const;
export const permissionModes = [
  ['default', 'Ask'],
  ['acceptEdits', 'Accept edits'],
  ['plan', 'Plan only'],
  ['dontAsk', 'Do not ask'],
  ['bypassPermissions', 'Bypass permissions'],
] as const;
export const taskModes = [
  ['conversation', 'when you close it'],
  ['task', 'when the agent has completed it'],
] as const;
export const workspaceProfiles = [
  ['full', 'Full: with the dev container of the repository'],
  ['lightweight', 'Lightweight: without it'],
] as const;
export const opencodeProviders = [
  ['opencode-zen', 'OpenCode Zen'],
  ['opencode-go', 'OpenCode Go'],
  ['custom', 'Another address'],
] as const;
export const placementStrategies = [
  ['balanced', 'Balanced'],
  ['pack', 'Pack: fill nodes'],
  ['spread', 'Spread: use many nodes'],
  ['smallest-fit', 'Smallest fit'],
] as const;

type Rows = readonly (readonly [value: string, name: string])[];

export const nameOf = (rows: Rows, value: string | null | undefined): string | undefined =>
  rows.find(([one]) => one === value)?.[1];

/** The value if it is one of the rows, else null. */
export const oneOf = <const R extends Rows>(rows: R, value: FormDataEntryValue | null): R[number][0] | null =>
  rows.find(([one]) => one === value)?.[0] ?? null;
