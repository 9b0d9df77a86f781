import type { Api } from './api.js';
import type { LiveSocket } from './live.js';

/** What every page of the console is given. */
export interface Surroundings {
  readonly api: Api;
  readonly live: LiveSocket;
  /** Goes to another page of the console, with a sentence to show there. */
  readonly goTo: (path: string, notice?: string) => void;
}

/** One page. It is disposed when another takes its place. */
export interface View extends Disposable {
  readonly title: string;
  readonly element: HTMLElement;
}
