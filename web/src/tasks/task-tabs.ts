export const taskTabs = [
  ['changes', 'Changes'],
  ['files', 'Files'],
  ['terminal', 'Terminal'],
  ['preview', 'Preview'],
  ['log', 'Log'],
] as const;
export type TaskTab = (typeof taskTabs)[number][0];
/** On a narrow screen the conversation is one of them. */
export type ShownTab = TaskTab | 'chat';

export const isShownTab = (value: unknown): value is ShownTab =>
  value === 'chat' || taskTabs.some(([name]) => name === value);
