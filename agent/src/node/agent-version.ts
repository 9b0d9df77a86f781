/** Version of this agent; the build puts the package's version and commit here. */
export const agentVersion: string = process.env.BERTH_AGENT_VERSION ?? 'development';
