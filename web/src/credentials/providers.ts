/** Of models. Credentials of clouds can be stored by the API; nothing uses them. */
export const providers = [
  ['anthropic', 'Anthropic (Claude Code)'],
  ['openai', 'OpenAI (Codex)'],
  ['google', 'Google (Gemini)'],
  ['mistral', 'Mistral (Vibe)'],
  ['opencode', 'OpenCode'],
  ['amp', 'Amp'],
] as const;

export const kinds = [
  ['api-key', 'Key'],
  ['oauth-token', 'Sign-in of the agent: its token, or the text of its file'],
] as const;
