/** What a client subscribes to: everything about one workspace. */
export const workspaceTopic = (workspaceId: string): string => `workspace:${workspaceId}`;

export const workspaceOf = (topic: string): string => topic.slice('workspace:'.length);
