export function checkAccount(verb: string, args: readonly string[], env?: NodeJS.ProcessEnv): Promise<void>;
