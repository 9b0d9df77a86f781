/** Where a conversation is. */
export interface ChatPlace {
  readonly projectId: string;
  readonly sessionId: string;
}
