import { Conflict } from '../../shared/errors.js';

/** The node repeats its report until it has stopped the container. */
export const containerNotStopped = () =>
  new Conflict('The container is not stopped yet. Repeat the report once it is.', {
    code: 'CONTAINER_NOT_STOPPED',
  });

/** Nothing of the workspace would remain. */
export const evictionNotVerified = () =>
  new Conflict('The control plane has verified no snapshot of this eviction.', {
    code: 'SNAPSHOT_NOT_VERIFIED',
  });
