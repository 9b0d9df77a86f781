import { join, resolve } from 'node:path';
import { disown, own } from '../local/processes/state-owner.mjs';
import { root } from './run.mjs';
import { leave, Stop } from './step.mjs';

/** The state folder of the laptop cloud of this checkout. */
export const stateDir = process.env.BERTH_STATE_DIR
  ? resolve(root, process.env.BERTH_STATE_DIR)
  : join(root, '.berth');

/**
 * Makes this process the owner of the state folder for its life, or ends it before it has changed
 * anything.
 *
 * @param what the person can do about the running cloud
 */
export function ownStateOrLeave(what) {
  const owner = own(stateDir);
  if (owner) leave(new Stop(`Berth is already running in this checkout (process ${owner.pid}). ${what}`));
  process.once('exit', () => disown(stateDir));
}
