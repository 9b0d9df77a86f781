/** The part of a WebSocket that is used. */
export interface TerminalTransport {
  readonly readyState: number;
  onopen: ((event: Event) => unknown) | null;
  onclose: ((event: CloseEvent) => unknown) | null;
  onmessage: ((event: MessageEvent) => unknown) | null;
  send(data: string | Uint8Array<ArrayBuffer>): void;
  close(): void;
}
