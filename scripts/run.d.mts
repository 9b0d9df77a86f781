export const root: string;
export function withNode(env?: NodeJS.ProcessEnv): NodeJS.ProcessEnv;
export function run(tool: string, args: readonly string[], env?: NodeJS.ProcessEnv): Promise<number>;
